"""Translates the service's messages that are known by their exact text."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def same_person_sentence() -> str:
    """Why a user who took part in a record cannot release it, and what to do."""
    return QCoreApplication.translate(
        "Errors",
        "You finished this record, or gave a verdict or a correction in it. "
        "Ask a user who took no part in it to review it.",
    )


def known_message(message: str) -> str:
    """Translate a message of the service into the language of the desktop; empty if it is unknown."""
    return {
        "用户名或密码错误": QCoreApplication.translate("Errors", "Wrong username or password."),
        "只能在运行服务的电脑上选择备份文件夹": QCoreApplication.translate(
            "Errors", "The folder can be chosen only on the computer that runs the service. Do it there."
        ),
        "备份位置由服务设置指定，无法在此更改": QCoreApplication.translate(
            "Errors", "The settings of the service name the backup location. Change it there."
        ),
        "尚未选择备份文件夹": QCoreApplication.translate("Errors", "Choose a folder for backups first."),
        "请选择数据文件夹以外、可写入的文件夹": QCoreApplication.translate(
            "Errors", "Choose a folder that can be written, outside the data folder."
        ),
        "备份位置空间不足，备份未完成，请清理空间或更换备份位置": QCoreApplication.translate(
            "Errors", "No space left at the backup location. Free some space or choose another location."
        ),
        "服务没有备份位置的写入权限，备份未完成，请检查文件夹权限": QCoreApplication.translate(
            "Errors", "The service has no permission to write to the backup location."
        ),
        "数据库无响应，备份未完成，稍后自动重试": QCoreApplication.translate(
            "Errors", "The database did not respond. The service will try again."
        ),
        "文件存储无响应，备份未完成，稍后自动重试": QCoreApplication.translate(
            "Errors", "The file store did not respond. The service will try again."
        ),
        "备份位置无法访问，备份未完成，请检查文件夹或对象存储": QCoreApplication.translate(
            "Errors", "Cannot reach the backup location. Check the folder or the store."
        ),
        "数据库已损坏，备份未完成，请停止服务并恢复较早的备份": QCoreApplication.translate(
            "Errors", "The database is damaged. Stop the service and restore an older backup."
        ),
        "备份写入后校验失败，已丢弃，请检查备份位置的磁盘": QCoreApplication.translate(
            "Errors", "The backup differed from the data and was discarded. Check the backup disk."
        ),
        "备份被中断，稍后自动重试": QCoreApplication.translate(
            "Errors", "Interrupted. The service will try again."
        ),
        "备份时发生内部错误，请联系管理员查看日志": QCoreApplication.translate(
            "Errors", "Internal error. Ask an administrator to read the log file of the service."
        ),
        "备份已完成，但部分数据已损坏或缺失，"
        "请运行 walkaround backup verify 查看": QCoreApplication.translate(
            "Errors", "Data damaged or missing. Run: walkaround backup verify"
        ),
        "备份已完成，但过期的备份未能清理": QCoreApplication.translate(
            "Errors", "Backup created. Cannot delete old backups."
        ),
        "检查记录已封存，无法修改；如需修改，请由有权限的用户填写原因后解除封存": (
            QCoreApplication.translate(
                "Errors",
                "Cannot change a sealed record. A user with permission can reopen it with a reason.",
            )
        ),
        "照片与参考图是同一张图片，不能作为检查照片，请添加本次拍摄的照片": (
            QCoreApplication.translate(
                "Errors", "The photo is the reference image itself. Add the photo of this inspection."
            )
        ),
        "检查记录未封存，请先完成记录": QCoreApplication.translate(
            "Errors", "The record is not sealed. Finish it first."
        ),
        "检查记录不在待复核状态，请刷新": QCoreApplication.translate(
            "Errors", "The record is not awaiting review. Reload it."
        ),
        "不能复核本人完成、判定或修正过的检查记录，请由未参与此记录的用户复核": same_person_sentence(),
        "检查记录没有此版次，请刷新": QCoreApplication.translate(
            "Errors", "This edition does not exist. Reload the record."
        ),
        "开始时间晚于当前时间，无法完成，请先更正开始时间": QCoreApplication.translate(
            "Errors", "Cannot finish: the start time is in the future. Correct the start time first."
        ),
        "记录中的时间晚于服务器时钟，请联系管理员校准服务器时间": QCoreApplication.translate(
            "Errors",
            "Times in the record are ahead of the server clock. Ask an administrator to correct the clock.",
        ),
        "登录会话不存在或已结束，请刷新列表": QCoreApplication.translate(
            "Errors", "This session has ended already. Reload the list."
        ),
        "这是当前会话，请使用退出登录来结束": QCoreApplication.translate(
            "Errors", "This is the session in use. Log out to end it."
        ),
        "原密码错误": QCoreApplication.translate("Errors", "The current password is wrong. Try again."),
        "无法校验人脸": QCoreApplication.translate(
            "Errors", "Face not recognized. Try again, or log in with your password."
        ),
        "未能确认是真人按提示做的动作，请按提示重试，或使用密码登录": QCoreApplication.translate(
            "Errors", "Movement not recognized. Follow the instruction, or log in with your password."
        ),
        "管理员未允许在此设备上使用人脸登录，请使用密码登录，或联系管理员": QCoreApplication.translate(
            "Errors",
            "An administrator has not allowed face login on this computer. Log in with your password.",
        ),
        "设备不存在或已移除，请刷新列表": QCoreApplication.translate(
            "Errors", "This device has been removed already. Reload the list."
        ),
        "允许的设备数量已达上限，请先移除不再使用的设备": QCoreApplication.translate(
            "Errors", "Too many devices are allowed. Remove those that are no longer used."
        ),
        "此账号的人脸登录需按提示转动头部，请重试，或使用密码登录": QCoreApplication.translate(
            "Errors", "This account requires head movements at a face login. Log in with your password."
        ),
        "请至少保留左转、右转、抬头中的一个动作": QCoreApplication.translate(
            "Errors", "Keep at least one of turning left, turning right and looking up."
        ),
        "人脸信息缺失": QCoreApplication.translate("Errors", "No face photo. Take or select one."),
        "照片超过 10 MB，请选择较小的照片": QCoreApplication.translate(
            "Errors", "The photo is larger than 10 MB. Select a smaller one."
        ),
        "不支持此文件类型，请选择 JPEG、PNG 或 WebP 照片": QCoreApplication.translate(
            "Errors", "This file type is not supported. Select a JPEG, PNG or WebP photo."
        ),
        "照片超过 5000 万像素，请缩小后重试": QCoreApplication.translate(
            "Errors", "The photo has more than 50 megapixels. Make it smaller, then try again."
        ),
        "照片尺寸过小，请选择更清晰的照片": QCoreApplication.translate(
            "Errors", "The photo is too small. Select one with more detail."
        ),
        "照片已损坏，请重新拍摄或选择其他照片": QCoreApplication.translate(
            "Errors", "The photo is damaged. Retake it or select another one."
        ),
        "未检测到人脸，请摘下口罩、正对摄像头，使整张脸进入画面": QCoreApplication.translate(
            "Errors", "No face found. Take off any mask, face the camera and show your whole face."
        ),
        "画面中有多人，请确保只有本人入镜": QCoreApplication.translate(
            "Errors", "More than one person found. Only you may be in the photo."
        ),
        "人脸过小，请靠近摄像头后重拍": QCoreApplication.translate(
            "Errors", "The face is too small. Move closer and retake the photo."
        ),
        "人脸过亮，请避开强光后重拍": QCoreApplication.translate(
            "Errors", "The face is too bright. Turn away from the light and retake the photo."
        ),
        "人脸过暗，请增加光线后重拍": QCoreApplication.translate(
            "Errors", "The face is too dark. Add light and retake the photo."
        ),
        "人脸模糊，请保持不动、擦净镜头后重拍": QCoreApplication.translate(
            "Errors", "The face is blurred. Clean the lens, keep still and retake the photo."
        ),
        "人脸偏转过大，请正对摄像头后重拍": QCoreApplication.translate(
            "Errors", "The face is turned away. Face the camera and retake the photo."
        ),
        "口鼻被遮挡，请摘下口罩后重拍": QCoreApplication.translate(
            "Errors", "Mouth and nose are covered. Take off the mask and retake the photo."
        ),
        "活体检测未通过，请本人正对摄像头，不要使用照片或屏幕": QCoreApplication.translate(
            "Errors", "Liveness check failed. Face the camera yourself; do not use a photo or a screen."
        ),
        "照片不是同一人，请全部重拍": QCoreApplication.translate(
            "Errors", "The photos do not show the same person. Retake all of them."
        ),
        "照片与已登记的人脸不符，请使用密码登录后再更换人脸": QCoreApplication.translate(
            "Errors", "This is not the enrolled face. Log in with your password to enrol another one."
        ),
        "该人脸已登记在其他用户名下，请联系管理员": QCoreApplication.translate(
            "Errors", "This face is enrolled for another user. Contact an administrator."
        ),
        "请输入有效的邮箱地址，最多 254 个字符": QCoreApplication.translate(
            "Errors", "Enter a valid email address, for example name@example.com."
        ),
        "请输入有效的电话号码，只能包含数字、空格、括号、+ 和 -，最多 32 个字符": QCoreApplication.translate(
            "Errors", "Enter a phone number with digits, spaces, parentheses, + and - only."
        ),
        "应为 0 到 80 的整数": QCoreApplication.translate("Errors", "Enter a whole number from 0 to 80."),
        "不能只有空白": QCoreApplication.translate("Errors", "Cannot be blank. Enter a value."),
        "应为文本，最多 255 个字符": QCoreApplication.translate("Errors", "Enter at most 255 characters."),
        "应为文本，最多 32 个字符": QCoreApplication.translate("Errors", "Enter at most 32 characters."),
        "不能为空白，也不能包含空字符（U+0000）": QCoreApplication.translate(
            "Errors", "The name cannot be blank. Enter a name."
        ),
        "用户名已存在，请使用其他用户名": QCoreApplication.translate(
            "Errors", "This username is already taken. Enter another one."
        ),
        "必须保留至少一名启用的管理员": QCoreApplication.translate(
            "Errors", "At least one administrator must remain enabled."
        ),
        "已存在同名的检测模型，请使用其他名称": QCoreApplication.translate(
            "Errors", "A model with this name already exists. Enter another name."
        ),
        "检查记录没有参考图，无法套用模板，请先选择参考图": QCoreApplication.translate(
            "Errors", "Cannot apply a template: the record has no reference image. Select one first."
        ),
        "参考图没有模板，请先将区域保存为模板": QCoreApplication.translate(
            "Errors", "The reference image has no template. Save regions as its template first."
        ),
        "所选检查记录没有检查项，请选择其他记录": QCoreApplication.translate(
            "Errors", "The selected record has no items. Select another record."
        ),
        "ONNX 模型文件不完整，请重新导出后上传": QCoreApplication.translate(
            "Errors", "The ONNX model is incomplete. Export it again."
        ),
        "模型引用了外部文件，请导出为单个 ONNX 文件": QCoreApplication.translate(
            "Errors", "The model refers to external files. Export it as a single ONNX file."
        ),
        "模型使用了自定义算子，请使用标准 ONNX 算子导出": QCoreApplication.translate(
            "Errors", "The model uses custom operators. Export it with standard ONNX operators."
        ),
        "ONNX Runtime 无法打开该模型，请检查导出时的版本": QCoreApplication.translate(
            "Errors", "ONNX Runtime cannot open the model. Check the version used for the export."
        ),
        "模型的输入不是一张三通道图片，无法用于检测，请重新导出": QCoreApplication.translate(
            "Errors", "The model does not take one three-channel image as input. Export a model that does."
        ),
        "该模型不是目标检测模型（例如旋转框或分类模型），请导出目标检测模型": QCoreApplication.translate(
            "Errors", "This is not an object detection model with upright boxes. Export one that is."
        ),
        "模型试运行失败，请检查导出时的输入尺寸": QCoreApplication.translate(
            "Errors", "The test run of the model failed. Check the input size used for the export."
        ),
        "无法确定模型的输出格式，请在上传时选择模型类型": QCoreApplication.translate(
            "Errors", "The output format of the model is ambiguous. Select the model type."
        ),
        "不支持该模型的输出格式，请按支持的格式重新导出": QCoreApplication.translate(
            "Errors",
            "The output format of the model is not supported. Export the model in a supported format.",
        ),
        "模型的输出与所选类型不符，请选择其他类型": QCoreApplication.translate(
            "Errors", "The model's outputs do not match the selected type. Select another type."
        ),
        "无法确定类别输出使用 softmax 还是 sigmoid，请在参数中填写 activation": QCoreApplication.translate(
            "Errors",
            "The file does not say whether classes use softmax or sigmoid. Select one.",
        ),
        "标签列表无效，请提供文本列表": QCoreApplication.translate(
            "Errors", "The labels are invalid. Enter a list of texts."
        ),
        "标签与模型的类别数不符，请按类别顺序为每个类别提供一个标签": QCoreApplication.translate(
            "Errors",
            "The labels do not match the model's classes. Give one label for each class, in their order.",
        ),
        "该模型需要参考图，不能用单张图片试用": QCoreApplication.translate(
            "Errors", "This model needs a reference image. It cannot be tried with one picture."
        ),
        "模型参数无效，请逐项检查": QCoreApplication.translate(
            "Errors", "The model settings are invalid. Check each setting."
        ),
        "模型检查超时，模型未添加，请导出较小的模型后重试": QCoreApplication.translate(
            "Errors",
            "The model check timed out, so the model was not added. Export a smaller model, then try again.",
        ),
        "检查模型时进程异常退出，模型未添加，请重新导出模型": QCoreApplication.translate(
            "Errors", "The model check crashed, so the model was not added. Export the model again."
        ),
        "该文件不是图片，请上传 JPEG、PNG、WebP、TIFF 或 BMP 图片": QCoreApplication.translate(
            "Errors", "This file is not an image. Select a JPEG, PNG, WebP, TIFF or BMP file."
        ),
        "图片已损坏，无法读取，请选择其他图片": QCoreApplication.translate(
            "Errors", "Cannot read the image because it is damaged. Select another image."
        ),
        "图片的文本信息、色彩配置或颜色通道过多，请另存为普通图片后上传": QCoreApplication.translate(
            "Errors",
            "The image has too much embedded text, too large a color profile or too many channels. Save it "
            "again as a plain image.",
        ),
        "文件为空，请选择其他文件": QCoreApplication.translate(
            "Errors", "The file is empty. Select another file."
        ),
        "该文件不是图片，不能作为照片": QCoreApplication.translate(
            "Errors",
            "Cannot read this file as an image. Select a JPEG, PNG, WebP, TIFF or BMP file. If your "
            "phone takes HEIC photos, set it to JPEG.",
        ),
        "照片文件不存在，请重新添加照片": QCoreApplication.translate(
            "Errors", "The photo file is missing. Add the photo again."
        ),
        "图片文件不存在，请先上传参考图文件": QCoreApplication.translate(
            "Errors", "The image file is missing. Add the image again."
        ),
        "上传不完整，请重新上传": QCoreApplication.translate(
            "Errors", "The upload is incomplete. Upload the file again."
        ),
        "文件不存在": QCoreApplication.translate("Errors", "This file no longer exists. Reload the page."),
        "文件内容已丢失，请联系管理员从备份恢复": QCoreApplication.translate(
            "Errors", "The content of this file is missing. Ask an administrator to restore it from a backup."
        ),
        "图片已损坏，无法生成缩略图，请重新上传": QCoreApplication.translate(
            "Errors", "Cannot create a thumbnail because the image is damaged. Upload it again."
        ),
        "图片已损坏，无法裁剪，请重新上传": QCoreApplication.translate(
            "Errors", "Cannot crop the image because it is damaged. Upload it again."
        ),
        "图片已损坏，无法显示，请重新上传": QCoreApplication.translate(
            "Errors", "Cannot show the image because it is damaged. Upload it again."
        ),
        "服务器磁盘空间不足，无法处理图片，请联系管理员": QCoreApplication.translate(
            "Errors",
            "Cannot prepare the image: the server's disk is full. Contact an administrator.",
        ),
        "图片处理失败，请稍后重试": QCoreApplication.translate(
            "Errors", "Cannot prepare the image. Try again later."
        ),
        "待处理的图片过多，请稍后重试": QCoreApplication.translate(
            "Errors", "Too many images are being prepared. Try again later."
        ),
        "用户不存在": QCoreApplication.translate("Errors", "This user no longer exists. Reload the list."),
        "飞机不存在": QCoreApplication.translate(
            "Errors", "This aircraft no longer exists. Reload the list."
        ),
        "航班不存在": QCoreApplication.translate("Errors", "This flight no longer exists. Reload the list."),
        "任务不存在": QCoreApplication.translate("Errors", "This task no longer exists. Reload the list."),
        "参考图不存在": QCoreApplication.translate(
            "Errors", "This reference image no longer exists. Reload the list."
        ),
        "检测模型不存在": QCoreApplication.translate(
            "Errors", "This model no longer exists. Reload the list."
        ),
        "检查记录不存在": QCoreApplication.translate(
            "Errors", "This record no longer exists. Reload the list."
        ),
        "检查项不存在": QCoreApplication.translate(
            "Errors", "This item no longer exists. Open the record again."
        ),
        "照片不存在": QCoreApplication.translate(
            "Errors", "This photo no longer exists. Open the record again."
        ),
        "检测任务不存在": QCoreApplication.translate(
            "Errors", "This detection no longer exists. Run it again."
        ),
        "检测批次不存在": QCoreApplication.translate(
            "Errors", "This batch no longer exists. Reload the list."
        ),
        "检测结果没有此版本，请刷新后重试": QCoreApplication.translate(
            "Errors", "This version of the result does not exist. Open the record again, then correct it."
        ),
        "检查记录已有检查项，模板只能用于没有检查项的记录": QCoreApplication.translate(
            "Errors", "The record already has items. Use a template only for a record without items."
        ),
        "检查记录已作废，无法完成，请先恢复": QCoreApplication.translate(
            "Errors", "Cannot finish a void record. Restore it first."
        ),
        "检查记录没有检查项，无法完成，请先添加检查项": QCoreApplication.translate(
            "Errors", "Cannot finish a record without items. Draw a region first."
        ),
        "内置模型没有可修改的参数，"
        "请在检查项中设置灵敏度、最小缺陷尺寸和忽略区域": QCoreApplication.translate(
            "Errors",
            "The built-in model has no settings. Set sensitivity, minimum finding size and ignored "
            "areas for each item.",
        ),
        "已存在用户，请直接登录": QCoreApplication.translate("Errors", "A user already exists. Log in."),
        "首个管理员只能在运行服务的计算机上创建": QCoreApplication.translate(
            "Errors",
            "Cannot create the first administrator from here. Do it on the computer that runs the service.",
        ),
        "首个管理员不能通过代理创建，请在运行服务的计算机上直接创建": QCoreApplication.translate(
            "Errors",
            "Cannot create the first administrator through a proxy. Do it on the computer that runs "
            "the service.",
        ),
        "人脸照片不是有效的 Base64 内容，请重新选择照片": QCoreApplication.translate(
            "Errors", "The face photo is incomplete. Select it again."
        ),
        "人脸识别暂时不可用，请稍后重试，或使用密码登录": QCoreApplication.translate(
            "Errors",
            "Face recognition is unavailable. Try again later, or log in with your password.",
        ),
        "数据库无响应，请稍后重试": QCoreApplication.translate(
            "Errors", "The database is not responding. Try again later."
        ),
        "数据库繁忙，操作未完成，请稍后重试；如反复出现，请联系管理员": QCoreApplication.translate(
            "Errors",
            "The database is busy, so this was not saved. Try again later. If it happens again, "
            "contact an administrator.",
        ),
        "数据库无响应，操作可能未完成，请稍后核对并重试；如反复出现，"
        "请联系管理员": QCoreApplication.translate(
            "Errors",
            "The database is not responding, so this may not have been saved. Check later and try "
            "again. If it happens again, contact an administrator.",
        ),
        "文件存储无响应，请稍后重试；如反复出现，请联系管理员": QCoreApplication.translate(
            "Errors",
            "The file storage is not responding. Try again later. If it happens again, contact an "
            "administrator.",
        ),
        "文件存储空间已达配额，文件未保存，请联系管理员": QCoreApplication.translate(
            "Errors", "Cannot save the file: the storage quota is used up. Contact an administrator."
        ),
        "服务器磁盘剩余空间不足，文件未保存，请联系管理员清理磁盘后重试": QCoreApplication.translate(
            "Errors",
            "Cannot save the file: the server's disk is almost full. Contact an administrator, then try "
            "again.",
        ),
        "照片不在此区域的记忆中，请刷新后重试": QCoreApplication.translate(
            "Errors", "This photo is not among the known variations of the region. Reload it."
        ),
        "检查项在参考图上没有区域，没有区域记忆，请先绘制区域": QCoreApplication.translate(
            "Errors",
            "The item has no region on a reference image, so it has no known variations. "
            "Draw a region first.",
        ),
        "统计数据正在生成，请稍后重试": QCoreApplication.translate(
            "Errors", "The statistics are still being counted. Try again later."
        ),
        "服务繁忙，请稍后重试": QCoreApplication.translate(
            "Errors", "The service is busy. Try again in a moment."
        ),
        "服务器磁盘空间不足，修改未保存，请联系管理员清理磁盘后重试": QCoreApplication.translate(
            "Errors",
            "Cannot save: the server's disk is full. Contact an administrator, then try again.",
        ),
        "服务器没有数据目录的写入权限，修改未保存，请联系管理员处理后重试": QCoreApplication.translate(
            "Errors",
            "Cannot save: the server has no write access to its data folder. Contact an administrator.",
        ),
        "Webhook 不存在，请刷新列表": QCoreApplication.translate(
            "Errors", "This webhook no longer exists. Reload the list."
        ),
        "Webhook 数量已达上限，请先删除不再使用的 Webhook": QCoreApplication.translate(
            "Errors", "There are too many webhooks. Delete those that are no longer used."
        ),
        "网址无效，请检查后重新输入": QCoreApplication.translate(
            "Errors", "The address is not valid. Check it and enter it again."
        ),
        "网址不能包含用户名或密码，请删除后重试": QCoreApplication.translate(
            "Errors", "The address cannot contain a username or password. Remove them."
        ),
        "网址不能包含 #，请删除 # 及其后的内容": QCoreApplication.translate(
            "Errors", "The address cannot contain #. Remove it and what follows."
        ),
        "网址应以 https:// 开头": QCoreApplication.translate(
            "Errors", "The address must begin with https://."
        ),
        "不能使用本机或内部网络的地址；如需使用，请由服务器管理员在服务设置中允许该网络": (
            QCoreApplication.translate(
                "Errors",
                "The address is on the server itself or an internal network. The server's administrator "
                "can allow the network in the service's settings.",
            )
        ),
        "服务器数据库已损坏，请联系管理员从备份恢复": QCoreApplication.translate(
            "Errors", "The server's database is damaged. Ask an administrator to restore a backup."
        ),
        "检查记录或检查项不存在，请刷新后重试": QCoreApplication.translate(
            "Errors", "The record or item no longer exists. Reload the record."
        ),
        "检查记录已完成，不再接收照片": QCoreApplication.translate(
            "Errors", "The record is finished. No more photos can be added."
        ),
        "连接码数量已达上限，请先结束不再使用的连接码": QCoreApplication.translate(
            "Errors", "Too many phone codes. End codes that are no longer used."
        ),
        "连接码不存在，请生成新的连接码": QCoreApplication.translate(
            "Errors", "The phone code no longer exists. Create a new one."
        ),
        "只有运行服务的计算机才能向局域网开放手机拍照，请在那台计算机上操作": QCoreApplication.translate(
            "Errors", "Only the computer that runs the service can allow phones. Do it there."
        ),
        "无法向局域网开放手机拍照，请检查网络连接和防火墙后重试": QCoreApplication.translate(
            "Errors", "Cannot answer phones in the network. Check network and firewall, then try again."
        ),
    }.get(message, "")
