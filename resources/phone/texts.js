// Texts in Chinese and English, by the phone's language until the person chooses.

const TEXTS = {
  en: {
    other: "中文", maker: "Photos are added for {name}", left: "{n} min left", item: "Item", whole: "Any item",
    wholeHint: "Assigned on the workstation by what the photo shows", photosOf: "Photos: {n}",
    take: "Take photo", gallery: "Choose photos", next: "Next item: {name}", items: "Items", photos: "Photos from this phone",
    waiting: "Waiting", sending: "Sending, {n}%", storing: "Sent, being stored…", arrived: "Arrived",
    arrivedCount: "arrived: {n}", remove: "Remove", retry: "Connect again",
    offline: "No connection. Photos stay on this phone and are sent when the connection is back.",
    slow: "The service is busy. Photos stay on this phone and are sent soon.",
    notKept: "This browser cannot store photos. Keep the page open until all photos have arrived.",
    connecting: "Connecting…", kept: "Not sent yet: {n}. They stay on this phone and go with the next code of this record.",
    keptOther: "{n} photos are waiting for another record. Scan a code of that record to send them.",
    noCode: "No code", noCodeText: "Scan the QR code on the workstation with the camera of this phone.",
    unknown: "Code not valid", unknownText: "Scan the QR code that the workstation shows now.",
    taken: "Code in use", takenText: "Another phone uses this code. Create a new code on the workstation and scan it.",
    ended: "Code ended", failed: "Cannot connect", failedText: "Check that this phone is on the same network as the service.",
    tooOften: "Too many attempts. Trying again in a minute.",
    end: {
      ended: "The code was ended on the workstation. Scan a new one to continue.",
      expired: "The code has expired. Create a new one on the workstation and scan it.",
      sealed: "The record is finished. No more photos can be added.",
      deleted: "The record or item was deleted. No more photos can be added.",
      logged_out: "The user at the workstation has logged out. Scan a new code after the next login.",
      no_right: "The user at the workstation no longer has permission to add photos. Ask an administrator.",
    },
    refused: {
      heic: "HEIC cannot be read. iPhone: Settings > Camera > Formats > Most Compatible, then take it again.",
      too_large: "The photo is too large.", unsupported_media: "Not a photo that can be read. Take it again.",
      invalid_input: "The photo is damaged. Take it again.", not_found: "The item was deleted.",
      conflict: "No more photos can be added with this code.", storage_full: "Storage is full. Tell the administrator.",
      other: "The photo was refused. Take it again.",
    },
  },
  zh: {
    other: "English", maker: "照片将记在 {name} 名下", left: "剩余 {n} 分钟", item: "检查项", whole: "任意检查项",
    wholeHint: "由工作台按照片内容分配到检查项", photosOf: "照片：{n}",
    take: "拍照", gallery: "从相册选择", next: "下一项：{name}", items: "检查项", photos: "此手机的照片",
    waiting: "等待发送", sending: "正在发送 {n}%", storing: "已发送，正在保存…", arrived: "已送达",
    arrivedCount: "已送达 {n}", remove: "移除", retry: "重新连接",
    offline: "网络已断开。照片保存在手机中，恢复连接后自动发送。",
    slow: "服务繁忙。照片保存在手机中，稍后自动发送。",
    notKept: "此浏览器无法保存照片：全部送达前请勿关闭页面。",
    connecting: "正在连接…", kept: "尚未发送：{n}。照片保存在手机中，扫描本记录的新连接码后继续发送。",
    keptOther: "另一条检查记录有 {n} 张照片待发送，请扫描该记录的连接码。",
    noCode: "没有连接码", noCodeText: "请用手机相机扫描工作台上的二维码。",
    unknown: "连接码无效", unknownText: "请扫描工作台上当前显示的二维码。",
    taken: "连接码已被使用", takenText: "此连接码已在另一部手机上使用。请在工作台上生成新的连接码后扫描。",
    ended: "连接码已失效", failed: "无法连接", failedText: "请确认手机与服务在同一网络中。",
    tooOften: "尝试次数过多，一分钟后自动重试。",
    end: {
      ended: "连接码已在工作台上停用。请扫描新的连接码。",
      expired: "连接码已过期。请在工作台上生成新的连接码后扫描。",
      sealed: "检查记录已完成，不再接收照片。",
      deleted: "检查记录或检查项已删除，不再接收照片。",
      logged_out: "工作台上的用户已退出登录。请在重新登录后扫描新的连接码。",
      no_right: "工作台上的用户已没有添加照片的权限，请联系管理员。",
    },
    refused: {
      heic: "无法读取 HEIC。iPhone：设置 > 相机 > 格式 > 兼容性最佳，然后重新拍照。",
      too_large: "照片过大。", unsupported_media: "不是可读取的照片，请重新拍照。",
      invalid_input: "照片已损坏，请重新拍照。", not_found: "检查项已删除。",
      conflict: "此连接码不再接收照片。", storage_full: "服务存储空间不足，请联系管理员。",
      other: "照片被拒绝，请重新拍照。",
    },
  },
};

const KEPT = "walkaround-language";

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

let language = kept() || ((navigator.language || "").toLowerCase().startsWith("zh") ? "zh" : "en");

/** The language of the texts, as it stands in `lang`. */
export function current() {
  return language === "zh" ? "zh-CN" : "en";
}

/** Go over to the other language, also for the next time. */
export function change() {
  language = language === "zh" ? "en" : "zh";
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // It holds for this page.
  }
}

/** A text by its name, `end.sealed` for one in a group, with `{n}` and the like filled in. */
export function text(name, values = {}) {
  const found = name.split(".").reduce((part, word) => part && part[word], TEXTS[language]);
  return String(found ?? "").replace(/\{(\w+)\}/g, (_, word) => values[word]);
}
