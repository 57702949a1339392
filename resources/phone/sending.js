// Sends photos one after the other, in parts; what has arrived is not sent again, and a lost line is waited for.

import * as service from "./service.js";
import * as store from "./store.js";

const FIRST_PART = 256 * 1024;
const LEAST_PART = 32 * 1024;
const MOST_PART = 512 * 1024;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** A photo of the list: `state` is waiting, sending, storing, arrived or refused; `share` 0..1. */
export class Sender {
  /** `changed` is called when something is different; `ended` with a Refused when the code has ended. */
  constructor(changed, ended) {
    this.photos = [];
    this.recordId = null;
    this.line = "";
    this.kept = true;
    this.changed = changed;
    this.ended = ended;
    this.running = false;
    this.pause = FIRST_PAUSE_MS;
    this.part = FIRST_PART;
    this.timer = null;
  }

  /** Take up what an earlier page kept. */
  async restore() {
    const before = await store.all();
    this.photos = [...before.map((one) => ({ ...one, state: "waiting", share: 0 })), ...this.photos];
    this.changed();
  }

  /** Add a photo that was taken for an item, or for the record. */
  async add(file, itemId, name, thumbnail) {
    const photo = {
      ...{ id: service.newId(), record: this.recordId, item: itemId, name, size: file.size },
      ...{ blob: file, thumbnail, added: Date.now() },
    };
    const shown = { ...photo, state: "waiting", share: 0 };
    this.photos.push(shown);
    this.changed();
    if (!(await store.put(photo))) this.kept = false;
    this.start();
  }

  /** Show a photo that was refused before it was sent. */
  refuse(name, itemId, reason) {
    this.photos.push({ id: service.newId(), record: this.recordId, item: itemId, name, state: "refused", reason });
    this.changed();
  }

  /** Take a photo off the list. */
  async remove(photo) {
    this.photos = this.photos.filter((one) => one !== photo);
    await store.remove(photo.id);
    this.changed();
  }

  /** How many of a record, or of the others, are not sent yet. */
  waiting(here = true) {
    return this.photos.filter(
      (one) => (one.record === this.recordId) === here && !["arrived", "refused"].includes(one.state),
    ).length;
  }

  /** Send with a code of this record. */
  connect(recordId) {
    this.recordId = recordId;
    this.stopped = false;
    this.start();
  }

  /** Send no more: the code has ended. */
  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Send now what waits. */
  start() {
    clearTimeout(this.timer);
    if (!this.running && !this.stopped && this.recordId) this.run();
  }

  async run() {
    this.running = true;
    try {
      for (;;) {
        const photo = this.photos.find((one) => one.record === this.recordId && one.state === "waiting");
        if (!photo || this.stopped) break;
        await this.send(photo);
        this.pause = FIRST_PAUSE_MS;
        this.line = "";
        this.changed();
      }
    } catch (error) {
      this.interrupted(error);
    } finally {
      this.running = false;
      this.changed();
    }
  }

  interrupted(error) {
    for (const photo of this.photos) if (["sending", "storing"].includes(photo.state)) photo.state = "waiting";
    const refused = error instanceof service.Refused;
    if (refused && [401, 410].includes(error.status)) {
      this.stop();
      this.ended(error);
      return;
    }
    this.line = refused ? "slow" : "offline";
    this.part = Math.max(LEAST_PART, this.part / 2);
    this.timer = setTimeout(() => this.start(), Math.max(this.pause, (error.retryAfter || 0) * 1000));
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }

  async send(photo) {
    photo.state = "sending";
    this.changed();
    try {
      let upload = await service.begin({
        ...{ upload_id: photo.id, name: photo.name, size: photo.size, item_id: photo.item },
      });
      while (upload.state === "receiving") {
        const start = upload.received;
        photo.share = start / photo.size;
        photo.state = start + this.part >= photo.size ? "storing" : "sending";
        this.changed();
        const begun = performance.now();
        const body = start < photo.size ? photo.blob.slice(start, start + this.part) : undefined;
        upload = await service.send(photo.id, start, body);
        if (performance.now() - begun < 1000) this.part = Math.min(MOST_PART, this.part * 2);
        this.line = "";
        this.pause = FIRST_PAUSE_MS;
      }
      if (upload.state === "refused") this.refused(photo, upload.error);
      else Object.assign(photo, { state: "arrived", share: 1 });
    } catch (error) {
      const final = error instanceof service.Refused && !error.mayPass && ![401, 410, 507].includes(error.status);
      if (!final) throw error;
      this.refused(photo, error.error);
    }
    photo.blob = null;
    await store.remove(photo.id);
  }

  refused(photo, error) {
    Object.assign(photo, { state: "refused", reason: error || "other" });
  }
}
