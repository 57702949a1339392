"""The messages of the service that are known by their exact words, in the language of the desktop."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def known_message(message: str) -> str:
    """A message of the service in the language of the desktop; empty when it is not known."""
    return {
        "用户名或密码错误": QCoreApplication.translate("Errors", "Wrong user name or password."),
        "检查记录已完成并封存，不能修改；如需修改，请由有权限的人员填写原因后重新打开": (
            QCoreApplication.translate(
                "Errors",
                "The record is finished and sealed. Whoever has the right can reopen it, with a reason.",
            )
        ),
        "检查记录没有封存，请先完成检查记录": QCoreApplication.translate(
            "Errors", "The record is not sealed. Finish it first."
        ),
        "检查记录不在等待放行的状态，请刷新后再试": QCoreApplication.translate(
            "Errors", "The record awaits no release. Reload it."
        ),
        "完成检查的人不能放行自己的检查记录，请由另一人放行": QCoreApplication.translate(
            "Errors", "You finished this record yourself. Another person has to release it."
        ),
        "检查记录没有这一版封存内容": QCoreApplication.translate("Errors", "The record has no such edition."),
        "开始时间晚于现在，请先更正开始时间再完成": QCoreApplication.translate(
            "Errors", "The record starts in the future. Correct its start, then finish it."
        ),
        "记录中的时间晚于服务器的时钟，请先校准服务器的时间": QCoreApplication.translate(
            "Errors", "Times in the record are ahead of the service's clock. Have that clock set right first."
        ),
        "原密码错误": QCoreApplication.translate("Errors", "The current password is wrong."),
        "无法校验人脸": QCoreApplication.translate(
            "Errors", "The face was not recognized. Try again, or log in by password."
        ),
        "人脸信息缺失": QCoreApplication.translate("Errors", "The picture of the face is missing."),
        "人脸图像超过 10 MB，请换一张较小的照片": QCoreApplication.translate(
            "Errors", "The picture is larger than 10 MB. Choose a smaller one."
        ),
        "人脸图像的格式不支持，请使用 JPEG、PNG 或 WebP 照片": QCoreApplication.translate(
            "Errors", "This kind of file is not supported. Choose a JPEG, PNG or WebP picture."
        ),
        "人脸图像超过 5000 万像素，请缩小后重试": QCoreApplication.translate(
            "Errors", "The picture has more than 50 megapixels. Make it smaller, then try again."
        ),
        "人脸图像的尺寸太小，请换一张更清晰的照片": QCoreApplication.translate(
            "Errors", "The picture is too small. Choose a clearer one."
        ),
        "人脸图像已损坏或不完整，请重新拍摄或选择": QCoreApplication.translate(
            "Errors", "The picture is damaged. Take or choose another one."
        ),
        "没有找到人脸，请正对镜头、摘下口罩，让整张脸进入画面": QCoreApplication.translate(
            "Errors", "There is no face. Face the camera without a mask, the whole face in the picture."
        ),
        "画面中不止一个人，请只让本人出现在画面中": QCoreApplication.translate(
            "Errors", "There is more than one person. Only you may be in the picture."
        ),
        "人脸太小，请靠近镜头后重拍": QCoreApplication.translate(
            "Errors", "The face is too small. Come closer and take it again."
        ),
        "人脸过亮，请避开强光后重拍": QCoreApplication.translate(
            "Errors", "The face is too bright. Turn away from the light and take it again."
        ),
        "人脸过暗，请增加光线后重拍": QCoreApplication.translate(
            "Errors", "The face is too dark. Make more light and take it again."
        ),
        "人脸模糊，请保持不动、擦净镜头后重拍": QCoreApplication.translate(
            "Errors", "The face is blurred. Clean the lens, keep still and take it again."
        ),
        "脸转得太偏，请稍微转向镜头后重拍": QCoreApplication.translate(
            "Errors", "The face is turned too far. Turn a little towards the camera and take it again."
        ),
        "口鼻被遮挡，请摘下口罩后重拍": QCoreApplication.translate(
            "Errors", "Mouth and nose are covered. Take the mask off and take it again."
        ),
        "没有通过活体检测，请由本人正对镜头拍摄，不要使用照片或屏幕": QCoreApplication.translate(
            "Errors", "This looks like a picture of a picture. Face the camera yourself."
        ),
        "几张照片不像同一个人，请全部由本人重新拍摄": QCoreApplication.translate(
            "Errors", "The pictures do not look like one person. Take all of them anew."
        ),
        "这张脸已登记在另一个账号下，请联系管理员": QCoreApplication.translate(
            "Errors", "This face is enrolled for another user. Ask an administrator."
        ),
        "需要有效的邮箱地址，最多 254 个字符": QCoreApplication.translate(
            "Errors", "This is no e-mail address; it has the form name@example.com."
        ),
        "需要有效的电话号码，只含数字、空格、括号、+ 和 -，最多 32 个字符": QCoreApplication.translate(
            "Errors", "A phone number has only digits, blanks, brackets, + and -."
        ),
        "需要 0 到 80 之间的整数": QCoreApplication.translate("Errors", "A whole number from 0 to 80."),
        "不能只有空白": QCoreApplication.translate("Errors", "Enter more than spaces."),
        "需要文本，最多 255 个字符": QCoreApplication.translate("Errors", "At most 255 characters."),
        "需要文本，最多 32 个字符": QCoreApplication.translate("Errors", "At most 32 characters."),
        "不能只含空白字符，也不能包含空字符（U+0000）": QCoreApplication.translate(
            "Errors", "A name cannot be blank. Enter one."
        ),
        "用户名已存在，请换一个": QCoreApplication.translate(
            "Errors", "This user name is taken. Choose another one."
        ),
        "至少要保留一名启用的管理员": QCoreApplication.translate(
            "Errors", "At least one administrator must stay enabled."
        ),
        "已有同名的检测模型，请换一个名称": QCoreApplication.translate(
            "Errors", "There is a model of this name. Choose another name."
        ),
        "检查记录没有参考图，无法套用模板": QCoreApplication.translate(
            "Errors", "The record has no reference image, so there is no template to take over."
        ),
        "参考图没有模板，请先在参考图上保存区域": QCoreApplication.translate(
            "Errors", "The reference image has no template. Save regions with it first."
        ),
        "所选的检查记录没有检查项": QCoreApplication.translate("Errors", "The chosen record has no items."),
        "该文件不是完整的 ONNX 模型，请重新导出后再上传": QCoreApplication.translate(
            "Errors", "This is no complete ONNX model. Export it anew."
        ),
        "模型引用了外部数据文件，请导出为单个 ONNX 文件": QCoreApplication.translate(
            "Errors", "The model refers to other files. Export it as a single ONNX file."
        ),
        "模型使用了自定义算子，请改用标准 ONNX 算子导出": QCoreApplication.translate(
            "Errors", "The model uses custom operators. Export it with standard ONNX operators."
        ),
        "ONNX Runtime 无法打开该模型，请检查导出的版本": QCoreApplication.translate(
            "Errors", "ONNX Runtime cannot open the model. Check the version of the export."
        ),
        "模型的输入不是一张三通道图片，无法用于检测": QCoreApplication.translate(
            "Errors", "The input of the model is not one picture with three channels."
        ),
        "模型的任务不是目标检测（例如旋转框或分类），请导出目标检测模型": QCoreApplication.translate(
            "Errors", "The model turns its boxes or finds none at all. Export one that detects objects."
        ),
        "模型试运行失败，请检查导出的输入尺寸": QCoreApplication.translate(
            "Errors", "A trial run of the model failed. Check the input size of the export."
        ),
        "无法识别模型的输出格式，请在上传时选择模型类型": QCoreApplication.translate(
            "Errors", "The output of the model can be read in several ways. Choose its kind."
        ),
        "模型的输出不是任何一种支持的检测格式，请按其中一种重新导出": QCoreApplication.translate(
            "Errors", "The model's outputs are of no kind that is supported. Export it as one of these kinds."
        ),
        "模型的输出与所选的模型类型不符，请重新选择": QCoreApplication.translate(
            "Errors", "The model's outputs do not fit the chosen kind. Choose another one."
        ),
        "无法判断类别输出用 softmax 还是 sigmoid，请在设置中填写 activation": QCoreApplication.translate(
            "Errors",
            "The file does not tell whether classes come by softmax or sigmoid. Choose one of them.",
        ),
        "标签列表不正确，请提供字符串列表": QCoreApplication.translate(
            "Errors", "The labels are not valid. Give a list of texts."
        ),
        "模型设置不正确，请检查各项设置": QCoreApplication.translate(
            "Errors", "The settings of the model are not valid. Check each of them."
        ),
        "模型检查超时，文件未被接受": QCoreApplication.translate(
            "Errors", "Checking the model took too long. It was not accepted."
        ),
        "检查模型时进程异常退出，文件未被接受": QCoreApplication.translate(
            "Errors", "The model ended the process that checked it. It was not accepted."
        ),
        "该文件不是图片，请上传 JPEG、PNG、WebP、TIFF 或 BMP 图片": QCoreApplication.translate(
            "Errors", "This file is no picture. Choose a JPEG, PNG, WebP, TIFF or BMP file."
        ),
        "图片已损坏，无法读取，请重新选择图片": QCoreApplication.translate(
            "Errors", "The picture is damaged and cannot be read. Choose another one."
        ),
        "图片附带的文字或颜色通道过多，请用图片软件另存为普通图片后再上传": QCoreApplication.translate(
            "Errors",
            "The picture carries too much text or too many channels. Save it anew as a plain picture.",
        ),
        "文件是空的，请重新选择文件": QCoreApplication.translate(
            "Errors", "The file is empty. Choose another one."
        ),
        "该文件不是图片，不能作为照片": QCoreApplication.translate(
            "Errors",
            "This is no picture that can be read. Choose a JPEG, PNG, WebP, TIFF or BMP "
            "file; let a phone that takes HEIC take JPEG.",
        ),
        "照片文件不存在，请重新上传": QCoreApplication.translate(
            "Errors", "The file of the photo is not there. Add the photo again."
        ),
        "文件不存在，请先上传参考图的图片": QCoreApplication.translate(
            "Errors", "The file of the picture is not there. Add the picture again."
        ),
        "上传未完成，请重新上传": QCoreApplication.translate(
            "Errors", "The file did not arrive whole. Send it again."
        ),
        "文件不存在": QCoreApplication.translate("Errors", "This file is no longer there."),
        "文件内容已丢失，请联系管理员从备份中恢复": QCoreApplication.translate(
            "Errors", "The content of this file is lost. Ask an administrator to restore it from a backup."
        ),
        "图片已损坏，无法生成缩略图": QCoreApplication.translate(
            "Errors", "The picture is damaged, so there is no small picture of it."
        ),
        "图片已损坏，无法截取": QCoreApplication.translate(
            "Errors", "The picture is damaged, so nothing can be cut from it."
        ),
        "图片已损坏，无法分块显示": QCoreApplication.translate(
            "Errors", "The picture is damaged, so it cannot be shown."
        ),
        "服务器磁盘空间不足，无法生成图片分块，请联系管理员": QCoreApplication.translate(
            "Errors",
            "The disk of the server is full, so the picture cannot be prepared. Tell an administrator.",
        ),
        "图片分块生成失败，请稍后再试": QCoreApplication.translate(
            "Errors", "The picture could not be prepared. Try again later."
        ),
        "等待分块的图片过多，请稍后再试": QCoreApplication.translate(
            "Errors", "Too many pictures wait to be prepared. Try again later."
        ),
        "用户不存在": QCoreApplication.translate("Errors", "This user is no longer there. Reload the list."),
        "飞机不存在": QCoreApplication.translate(
            "Errors", "This aircraft is no longer there. Reload the list."
        ),
        "航班不存在": QCoreApplication.translate(
            "Errors", "This flight is no longer there. Reload the list."
        ),
        "任务不存在": QCoreApplication.translate("Errors", "This task is no longer there. Reload the list."),
        "参考图不存在": QCoreApplication.translate(
            "Errors", "This reference image is no longer there. Reload the list."
        ),
        "检测模型不存在": QCoreApplication.translate(
            "Errors", "This model is no longer there. Reload the list."
        ),
        "检查记录不存在": QCoreApplication.translate(
            "Errors", "This record is no longer there. Reload the list."
        ),
        "检查项不存在": QCoreApplication.translate(
            "Errors", "This item is no longer there. Open the record again."
        ),
        "照片不存在": QCoreApplication.translate(
            "Errors", "This photo is no longer there. Open the record again."
        ),
        "检测任务不存在": QCoreApplication.translate("Errors", "This detection is no longer there."),
        "没有这一批检测任务": QCoreApplication.translate("Errors", "This batch is no longer there."),
        "没有这个版本的检测结果，请刷新后再修改": QCoreApplication.translate(
            "Errors", "There is no such version of the result. Open the record again, then correct it."
        ),
        "检查记录已有检查项；模板只能用于没有检查项的记录": QCoreApplication.translate(
            "Errors", "The record has items already. A template is for a record without items."
        ),
        "检查记录已取消，不能完成；请先修改它的状态": QCoreApplication.translate(
            "Errors", "The record is cancelled. Reopen it, then finish it."
        ),
        "检查记录没有检查项，不能完成": QCoreApplication.translate(
            "Errors", "The record has no items, so it cannot be finished. Draw a region first."
        ),
        "内置模型没有可更改的设置，请在检测条目上设置灵敏度、最小缺陷和忽略区域": QCoreApplication.translate(
            "Errors",
            "The built-in model has no settings of its own. Set sensitivity, smallest defect "
            "and ignored areas at the item.",
        ),
        "已有用户，请直接登录": QCoreApplication.translate("Errors", "There is a user already. Log in."),
        "首个管理员只能在运行服务的计算机上创建": QCoreApplication.translate(
            "Errors", "The first administrator can only be made at the machine that runs the service."
        ),
        "首个管理员不能通过代理创建，请在本机直接访问服务": QCoreApplication.translate(
            "Errors",
            "The first administrator cannot be made through a proxy. Do it at the machine "
            "that runs the service.",
        ),
        "人脸图像不是有效的 Base64 内容，请重新选择照片": QCoreApplication.translate(
            "Errors", "The picture of the face did not arrive whole. Choose it again."
        ),
        "人脸模块暂时不可用，请稍后再试或联系管理员": QCoreApplication.translate(
            "Errors",
            "Face recognition does not work at the moment. Try again later, or log in by password.",
        ),
        "数据库没有响应，请稍后再试": QCoreApplication.translate(
            "Errors", "The database does not answer. Try again later."
        ),
        "数据库正忙，本次操作没有完成，请稍后重试；若反复出现，请联系管理员": QCoreApplication.translate(
            "Errors",
            "The database is busy, so this was not done. Try again later; "
            "if it stays, tell an administrator.",
        ),
        "数据库没有响应，本次操作可能没有完成，请稍后核对并重试；"
        "若反复出现，请联系管理员": QCoreApplication.translate(
            "Errors",
            "The database does not answer, so this may not have been done. Check it later and try again; "
            "if it stays, tell an administrator.",
        ),
        "服务暂时不可用，请稍后再试": QCoreApplication.translate(
            "Errors", "The service is busy. Wait a moment, then try again."
        ),
        "服务器磁盘空间不足，本次修改没有保存，请联系管理员清理磁盘后重试": QCoreApplication.translate(
            "Errors",
            "The disk of the server is full, so this was not saved. Tell an administrator, then try again.",
        ),
        "服务器的数据目录不可写，本次修改没有保存，请联系管理员检查权限后重试": QCoreApplication.translate(
            "Errors",
            "The server may not write to its data folder, so this was not saved. Tell an administrator.",
        ),
        "服务器的数据库已损坏，请联系管理员从备份恢复": QCoreApplication.translate(
            "Errors", "The database of the server is damaged. Ask an administrator to restore a backup."
        ),
    }.get(message, "")
