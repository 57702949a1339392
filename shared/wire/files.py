"""Bodies of the file store."""

from enum import StrEnum

from shared.wire.common import ItemTime, WireModel


class CameraPosition(WireModel):
    """Where a photo was taken: degrees (WGS 84, north and east positive), and m above sea level if known."""

    latitude: float
    longitude: float
    altitude: float | None = None


class FilmFrame(WireModel):
    """The film of which a photo is a frame, as the program wrote that took the frame.

    `film`: the file's name. `sha256`: of its content, in hexadecimal digits. `number`: of the frame, from 0.
    `at`: its time since the start, such as `02:03.480` or `01:02:03.480`.
    """

    film: str
    sha256: str
    number: int
    at: str


class CameraData(WireModel):
    """What the camera stored in a photo (EXIF); null for a value that is missing or unreadable.

    `taken_at`: ISO 8601 by the camera's clock, with an offset (`+08:00`) only where the camera gave one.
    `focal_length` is in mm, `focal_length_35` the same for film of 35 mm, `exposure_time` in s. `position` is
    read only where the service is set to. `frame` is that of a photo that was taken out of a film (XMP).
    """

    taken_at: str | None = None
    make: str | None = None
    model: str | None = None
    lens: str | None = None
    focal_length: float | None = None
    focal_length_35: int | None = None
    exposure_time: float | None = None
    f_number: float | None = None
    iso: int | None = None
    position: CameraPosition | None = None
    frame: FilmFrame | None = None


class StoredFile(WireModel):
    """A file of the service, which is named by its content and never changes.

    `download_url` is the path below the service's address; `width` and `height` are upright pixels and null
    for a file that is not an image. `camera` is read from the content when it is uploaded; null without data
    of a camera.
    """

    file_id: str
    sha256: str
    ipfs_cid: str
    filename: str
    mime_type: str
    size: int
    width: int | None
    height: int | None
    download_url: str
    created_at: ItemTime
    camera: CameraData | None = None


class TilesState(StrEnum):
    """Whether the tiles of a picture can be read."""

    READY = "ready"
    BUILDING = "building"


class TileLevel(WireModel):
    """One resolution of a picture: its width and height in px."""

    width: int
    height: int


class Tiles(WireModel):
    """How a picture is cut into tiles. `width` and `height` are upright px, `levels` the finest first.

    `percent` says how far the making of the tiles is; 100 when they are ready.
    """

    width: int
    height: int
    tile_px: int
    levels: list[TileLevel]
    state: TilesState
    percent: int
