<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Banner</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>CanvasView</name>
    <message>
        <source>Opening the picture…</source>
        <translation>正在打开图片…</translation>
    </message>
    <message>
        <source>Picture with regions</source>
        <translation>带区域的图片</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Add a photo</source>
        <translation>添加照片</translation>
    </message>
    <message>
        <source>Back to the last page</source>
        <translation>返回上一页</translation>
    </message>
    <message>
        <source>Clear the filters</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Compare reference and photo</source>
        <translation>对比参考图与照片</translation>
    </message>
    <message>
        <source>Copy the regions</source>
        <translation>复制区域</translation>
    </message>
    <message>
        <source>Delete the item</source>
        <translation>删除条目</translation>
    </message>
    <message>
        <source>Delete the record</source>
        <translation>删除记录</translation>
    </message>
    <message>
        <source>Draw a region</source>
        <translation>画新区域</translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation>绘图</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>创建副本</translation>
    </message>
    <message>
        <source>Editing</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Export the list</source>
        <translation>导出列表</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Finish the record</source>
        <translation>完成记录</translation>
    </message>
    <message>
        <source>Fit the picture</source>
        <translation>适合窗口</translation>
    </message>
    <message>
        <source>Fold the inspector</source>
        <translation>折叠检查栏</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Go to my account</source>
        <translation>转到我的账户</translation>
    </message>
    <message>
        <source>Go to people</source>
        <translation>转到人员</translation>
    </message>
    <message>
        <source>Go to records</source>
        <translation>转到记录</translation>
    </message>
    <message>
        <source>Go to the catalogue</source>
        <translation>转到目录</translation>
    </message>
    <message>
        <source>Hide or show labels</source>
        <translation>隐藏或显示标签</translation>
    </message>
    <message>
        <source>Hide or show regions</source>
        <translation>隐藏或显示区域</translation>
    </message>
    <message>
        <source>Items and findings</source>
        <translation>条目与发现</translation>
    </message>
    <message>
        <source>Keys and shortcuts</source>
        <translation>按键与快捷键</translation>
    </message>
    <message>
        <source>Language: Chinese</source>
        <translation>语言：中文</translation>
    </message>
    <message>
        <source>Language: English</source>
        <translation>语言：English</translation>
    </message>
    <message>
        <source>Language: as the system</source>
        <translation>语言：跟随系统</translation>
    </message>
    <message>
        <source>Log out</source>
        <translation>退出登录</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Move the picture</source>
        <translation>移动图片</translation>
    </message>
    <message>
        <source>New record</source>
        <translation>新建检查</translation>
    </message>
    <message>
        <source>Next finding</source>
        <translation>下一发现</translation>
    </message>
    <message>
        <source>Next item</source>
        <translation>下一条目</translation>
    </message>
    <message>
        <source>Next undecided item</source>
        <translation>下一待判定条目</translation>
    </message>
    <message>
        <source>One to one</source>
        <translation>原始大小</translation>
    </message>
    <message>
        <source>Open the folder of the logs</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <source>Open the record</source>
        <translation>打开记录</translation>
    </message>
    <message>
        <source>Paste regions</source>
        <translation>粘贴区域</translation>
    </message>
    <message>
        <source>Previous finding</source>
        <translation>上一发现</translation>
    </message>
    <message>
        <source>Previous item</source>
        <translation>上一条目</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出程序</translation>
    </message>
    <message>
        <source>Records</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Reload this page</source>
        <translation>重新加载本页</translation>
    </message>
    <message>
        <source>Rename the item</source>
        <translation>重命名条目</translation>
    </message>
    <message>
        <source>Run detection on all items</source>
        <translation>检测全部条目</translation>
    </message>
    <message>
        <source>Run detection on this item</source>
        <translation>检测此条目</translation>
    </message>
    <message>
        <source>Search on this page</source>
        <translation>在本页搜索</translation>
    </message>
    <message>
        <source>Select</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Select all regions</source>
        <translation>全选区域</translation>
    </message>
    <message>
        <source>Take a photo</source>
        <translation>拍摄照片</translation>
    </message>
    <message>
        <source>Theme: as the system</source>
        <translation>主题：跟随系统</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>主题：深色</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>主题：浅色</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Verdict: failed</source>
        <translation>判定：未通过</translation>
    </message>
    <message>
        <source>Verdict: passed</source>
        <translation>判定：通过</translation>
    </message>
    <message>
        <source>Verdict: undecided</source>
        <translation>判定：待定</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Write the report</source>
        <translation>生成报告</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Zoom to the item</source>
        <translation>缩放到条目</translation>
    </message>
</context>
<context>
    <name>Confirm</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>Something failed inside the program. What you did last may be missing. Details: {file}</source>
        <translation>程序内部出错，您最后的操作可能没有生效。详情见：{file}</translation>
    </message>
    <message>
        <source>Your login has ended. Log in again to go on where you were.</source>
        <translation>登录已结束。重新登录后可从原处继续。</translation>
    </message>
</context>
<context>
    <name>EnrolDialog</name>
    <message>
        <source>1 of 3: look straight into the camera</source>
        <translation>第 1 步，共 3 步：正对摄像头</translation>
    </message>
    <message>
        <source>2 of 3: turn your head a little to the left</source>
        <translation>第 2 步，共 3 步：头稍向左转</translation>
    </message>
    <message>
        <source>3 of 3: turn your head a little to the right</source>
        <translation>第 3 步，共 3 步：头稍向右转</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Enrol your face</source>
        <translation>登记人脸</translation>
    </message>
    <message>
        <source>Enrolling…</source>
        <translation>正在登记…</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>再看一次</translation>
    </message>
    <message>
        <source>Nothing is stored but the features of the face.</source>
        <translation>只保存人脸的特征，不保存照片。</translation>
    </message>
    <message>
        <source>Starting the camera…</source>
        <translation>正在打开摄像头…</translation>
    </message>
    <message>
        <source>Taken. Now turn your head.</source>
        <translation>已拍下，现在请转头。</translation>
    </message>
    <message>
        <source>The camera cannot be used. Close other programs that use it, or choose another.</source>
        <translation>摄像头无法使用。请关闭占用它的其他程序，或换一个摄像头。</translation>
    </message>
    <message>
        <source>The camera was unplugged. Plug it in again to go on.</source>
        <translation>摄像头已拔出。重新插上即可继续。</translation>
    </message>
    <message>
        <source>There is no camera here. Plug one in, or enrol with photo files.</source>
        <translation>没有找到摄像头。请接上一个，或用照片文件登记。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>ErrorState</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>A password has 8 to 128 characters.</source>
        <translation>密码长度为 8 到 128 个字符。</translation>
    </message>
    <message>
        <source>A phone number has only digits, blanks, brackets, + and -.</source>
        <translation>电话号码只能包含数字、空格、括号、+ 和 -。</translation>
    </message>
    <message>
        <source>A user name has 1 to 64 characters.</source>
        <translation>用户名长度为 1 到 64 个字符。</translation>
    </message>
    <message>
        <source>A user name has no blanks or invisible characters.</source>
        <translation>用户名不能含空格或不可见字符。</translation>
    </message>
    <message>
        <source>A whole number from 0 to 80.</source>
        <translation>0 到 80 的整数。</translation>
    </message>
    <message>
        <source>At most 255 characters.</source>
        <translation>最多 255 个字符。</translation>
    </message>
    <message>
        <source>At most 32 characters.</source>
        <translation>最多 32 个字符。</translation>
    </message>
    <message>
        <source>Face login is off here. Log in by password.</source>
        <translation>此处已关闭人脸登录，请用密码登录。</translation>
    </message>
    <message>
        <source>Mouth and nose are covered. Take the mask off and take it again.</source>
        <translation>口鼻被遮住。请摘下口罩后重拍。</translation>
    </message>
    <message>
        <source>Picture {n}: {what}</source>
        <translation>第 {n} 张照片：{what}</translation>
    </message>
    <message>
        <source>Somebody else changed this meanwhile. Look at the newest version, then decide.</source>
        <translation>其他人已修改过。请查看最新内容后再决定。</translation>
    </message>
    <message>
        <source>The current password is wrong.</source>
        <translation>当前密码不正确。</translation>
    </message>
    <message>
        <source>The face is blurred. Clean the lens, keep still and take it again.</source>
        <translation>人脸模糊。请擦净镜头、保持不动后重拍。</translation>
    </message>
    <message>
        <source>The face is too bright. Turn away from the light and take it again.</source>
        <translation>人脸过亮。请避开强光后重拍。</translation>
    </message>
    <message>
        <source>The face is too dark. Make more light and take it again.</source>
        <translation>人脸过暗。请增加光线后重拍。</translation>
    </message>
    <message>
        <source>The face is too small. Come closer and take it again.</source>
        <translation>人脸太小。请靠近一些后重拍。</translation>
    </message>
    <message>
        <source>The face is turned too far. Turn a little towards the camera and take it again.</source>
        <translation>人脸偏转过大。请稍微转向摄像头后重拍。</translation>
    </message>
    <message>
        <source>The face was not recognized. Try again, or log in by password.</source>
        <translation>没有识别出人脸。请重试，或用密码登录。</translation>
    </message>
    <message>
        <source>The file cannot be read. Choose another one.</source>
        <translation>文件无法读取，请选择其他文件。</translation>
    </message>
    <message>
        <source>The password must not be the user name.</source>
        <translation>密码不能与用户名相同。</translation>
    </message>
    <message>
        <source>The picture has more than 50 megapixels. Make it smaller, then try again.</source>
        <translation>图片超过 5000 万像素。请缩小后重试。</translation>
    </message>
    <message>
        <source>The picture is damaged. Take or choose another one.</source>
        <translation>图片已损坏。请重拍或另选一张。</translation>
    </message>
    <message>
        <source>The picture is larger than 10 MB. Choose a smaller one.</source>
        <translation>图片超过 10 MB，请选择较小的图片。</translation>
    </message>
    <message>
        <source>The picture is too small. Choose a clearer one.</source>
        <translation>图片太小，请选择更清晰的图片。</translation>
    </message>
    <message>
        <source>The picture of the face is missing.</source>
        <translation>缺少人脸照片。</translation>
    </message>
    <message>
        <source>The pictures do not look like one person. Take all of them anew.</source>
        <translation>这些照片不像同一个人，请全部重拍。</translation>
    </message>
    <message>
        <source>The service cannot be reached. Check that it is running, then try again.</source>
        <translation>无法连接服务。请确认服务正在运行，然后重试。</translation>
    </message>
    <message>
        <source>The service did not do this. Try again.</source>
        <translation>服务没有完成此操作，请重试。</translation>
    </message>
    <message>
        <source>The service failed. Try again.</source>
        <translation>服务出错，请重试。</translation>
    </message>
    <message>
        <source>The service failed. Try again; if it stays, tell an administrator the number {number}.</source>
        <translation>服务出错，请重试；若仍出错，请把编号 {number} 告诉管理员。</translation>
    </message>
    <message>
        <source>The service is busy. Wait a moment, then try again.</source>
        <translation>服务繁忙，请稍候再试。</translation>
    </message>
    <message>
        <source>There is more than one person. Only you may be in the picture.</source>
        <translation>画面中不止一人，只能有您本人。</translation>
    </message>
    <message>
        <source>There is no face. Face the camera without a mask, the whole face in the picture.</source>
        <translation>没有找到人脸。请摘下口罩正对摄像头，让整张脸进入画面。</translation>
    </message>
    <message>
        <source>This did not work. Try again.</source>
        <translation>操作没有成功，请重试。</translation>
    </message>
    <message>
        <source>This face is enrolled for another user. Ask an administrator.</source>
        <translation>这张人脸已登记在其他用户名下，请联系管理员。</translation>
    </message>
    <message>
        <source>This is no e-mail address; it has the form name@example.com.</source>
        <translation>这不是邮箱地址，正确的形式如 name@example.com。</translation>
    </message>
    <message>
        <source>This is not valid.</source>
        <translation>内容无效。</translation>
    </message>
    <message>
        <source>This is too large. Choose a smaller file.</source>
        <translation>文件过大，请选择较小的文件。</translation>
    </message>
    <message>
        <source>This kind of file is not supported. Choose a JPEG, PNG or WebP picture.</source>
        <translation>不支持这种文件。请选择 JPEG、PNG 或 WebP 图片。</translation>
    </message>
    <message>
        <source>This looks like a picture of a picture. Face the camera yourself.</source>
        <translation>这像是翻拍的照片。请本人正对摄像头。</translation>
    </message>
    <message>
        <source>This needs a fresh login by password. Log out, log in by password, then try again.</source>
        <translation>此操作需要刚刚用密码登录过。请退出后用密码登录，再重试。</translation>
    </message>
    <message>
        <source>This password is too common. Choose another one.</source>
        <translation>这个密码太常见，请换一个。</translation>
    </message>
    <message numerus="yes">
        <source>Too many tries. Try again in %n second(s).</source>
        <translation>
            <numerusform>尝试次数过多，请在 %n 秒后再试。</numerusform>
        </translation>
    </message>
    <message>
        <source>What answers there is no Walkaround service. Check the address of the server.</source>
        <translation>该地址上不是绕机检查工作站的服务，请检查服务器地址。</translation>
    </message>
    <message>
        <source>Wrong user name or password.</source>
        <translation>用户名或密码错误。</translation>
    </message>
    <message>
        <source>You have no right to do this. Ask an administrator.</source>
        <translation>您没有此操作的权限，请联系管理员。</translation>
    </message>
    <message>
        <source>Your login has ended. Log in again.</source>
        <translation>登录已结束，请重新登录。</translation>
    </message>
</context>
<context>
    <name>FaceCard</name>
    <message>
        <source>An administrator has switched face login off.</source>
        <translation>管理员已关闭人脸登录。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the face</source>
        <translation>删除人脸</translation>
    </message>
    <message>
        <source>Delete your face?</source>
        <translation>删除您的人脸？</translation>
    </message>
    <message>
        <source>Deleting…</source>
        <translation>正在删除…</translation>
    </message>
    <message>
        <source>Enrol again</source>
        <translation>重新登记</translation>
    </message>
    <message>
        <source>Enrol at the camera</source>
        <translation>用摄像头登记</translation>
    </message>
    <message>
        <source>Enrol with photo files</source>
        <translation>用照片文件登记</translation>
    </message>
    <message>
        <source>Enrol your face to log in by looking into the camera.</source>
        <translation>登记人脸后，看向摄像头即可登录。</translation>
    </message>
    <message>
        <source>Enrolled</source>
        <translation>已登记</translation>
    </message>
    <message numerus="yes">
        <source>Enrolled with %n picture(s) on {date}.</source>
        <translation>
            <numerusform>已用 %n 张照片登记，日期 {date}。</numerusform>
        </translation>
    </message>
    <message>
        <source>Enrolling…</source>
        <translation>正在登记…</translation>
    </message>
    <message>
        <source>Face login</source>
        <translation>人脸登录</translation>
    </message>
    <message>
        <source>I agree</source>
        <translation>我同意</translation>
    </message>
    <message>
        <source>I agree that this workstation takes features of my face from my pictures, only to know me at login. The pictures are not stored; the features are kept encrypted in this service, and I can delete them at any time, at once.</source>
        <translation>我同意本工作站从我的照片中提取人脸特征，仅用于登录时识别我。照片不会保存；特征加密保存在本服务中，我可以随时立即删除。</translation>
    </message>
    <message>
        <source>Not enrolled</source>
        <translation>未登记</translation>
    </message>
    <message>
        <source>The face model was changed since you enrolled. Enrol again to log in by face.</source>
        <translation>您登记之后人脸模型已更换。请重新登记，以便用人脸登录。</translation>
    </message>
    <message>
        <source>The stored features are deleted at once. You then log in by password.</source>
        <translation>保存的特征会立即删除，之后请用密码登录。</translation>
    </message>
    <message>
        <source>Your face is enrolled.</source>
        <translation>人脸已登记。</translation>
    </message>
    <message>
        <source>Your face was deleted.</source>
        <translation>人脸已删除。</translation>
    </message>
</context>
<context>
    <name>FaceLogin</name>
    <message>
        <source>Checking…</source>
        <translation>正在核对…</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>再看一次</translation>
    </message>
    <message>
        <source>Not recognized. Look straight into the camera.</source>
        <translation>未能识别，请正对摄像头。</translation>
    </message>
    <message>
        <source>Starting the camera…</source>
        <translation>正在打开摄像头…</translation>
    </message>
    <message>
        <source>The camera cannot be used. Close other programs that use it, or choose another.</source>
        <translation>摄像头无法使用。请关闭占用它的其他程序，或换一个摄像头。</translation>
    </message>
    <message>
        <source>The camera was unplugged. Plug it in again to go on.</source>
        <translation>摄像头已拔出。重新插上即可继续。</translation>
    </message>
    <message>
        <source>The face was not recognized. Log in by password, or try again.</source>
        <translation>没有识别出人脸。请用密码登录，或重试。</translation>
    </message>
    <message>
        <source>There is no camera here. Log in by password or with a photo file.</source>
        <translation>没有找到摄像头。请用密码或照片文件登录。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>FacePicture</name>
    <message>
        <source>Choose a picture of your face</source>
        <translation>选择一张人脸照片</translation>
    </message>
    <message>
        <source>Choose one to five pictures of your face</source>
        <translation>选择一至五张人脸照片</translation>
    </message>
    <message>
        <source>Pictures (*.jpg *.jpeg *.png *.webp)</source>
        <translation>图片 (*.jpg *.jpeg *.png *.webp)</translation>
    </message>
</context>
<context>
    <name>FirstRunForm</name>
    <message>
        <source>Choose a password by the rules below.</source>
        <translation>请按下面的规则设置密码。</translation>
    </message>
    <message>
        <source>Enter a user name.</source>
        <translation>请输入用户名。</translation>
    </message>
    <message>
        <source>Make the administrator and log in</source>
        <translation>创建管理员并登录</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Password once more</source>
        <translation>再次输入密码</translation>
    </message>
    <message>
        <source>The two passwords differ.</source>
        <translation>两次输入的密码不一致。</translation>
    </message>
    <message>
        <source>User name</source>
        <translation>用户名</translation>
    </message>
    <message>
        <source>Your name (may stay empty)</source>
        <translation>您的姓名（可不填）</translation>
    </message>
</context>
<context>
    <name>KeyEdit</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change keys</source>
        <translation>修改按键</translation>
    </message>
    <message>
        <source>Default keys</source>
        <translation>默认按键</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>新按键</translation>
    </message>
    <message>
        <source>No key</source>
        <translation>无按键</translation>
    </message>
    <message>
        <source>Press the new key.</source>
        <translation>请按下新按键。</translation>
    </message>
    <message>
        <source>This key means “{names}” already. Taking it leaves that without it.</source>
        <translation>此按键已用于“{names}”。改用后，原命令将没有此按键。</translation>
    </message>
    <message>
        <source>Use this key</source>
        <translation>使用此按键</translation>
    </message>
</context>
<context>
    <name>KeySheet</name>
    <message>
        <source>Change the keys of: {title}</source>
        <translation>修改按键：{title}</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Find a command or a key</source>
        <translation>查找命令或按键</translation>
    </message>
    <message>
        <source>Keys and shortcuts</source>
        <translation>按键与快捷键</translation>
    </message>
    <message>
        <source>Single keys do not act while you type in a field.</source>
        <translation>在输入框中打字时，单键命令不起作用。</translation>
    </message>
</context>
<context>
    <name>LoadingState</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
</context>
<context>
    <name>LoginPage</name>
    <message>
        <source>Change server</source>
        <translation>更换服务器</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在核对…</translation>
    </message>
    <message>
        <source>Inspection workstation</source>
        <translation>绕机检查工作站</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Log in</source>
        <translation>登录</translation>
    </message>
    <message>
        <source>Log in with a photo file</source>
        <translation>用照片文件登录</translation>
    </message>
    <message>
        <source>Look into the camera, or enter your password.</source>
        <translation>看向摄像头，或输入密码。</translation>
    </message>
    <message>
        <source>Make the first administrator</source>
        <translation>创建第一个管理员</translation>
    </message>
    <message>
        <source>Nobody can log in yet: make the first administrator on the server itself.</source>
        <translation>目前还没有人能登录：请在服务器本机上创建第一个管理员。</translation>
    </message>
    <message>
        <source>The connection is being restored…</source>
        <translation>正在恢复连接…</translation>
    </message>
    <message>
        <source>The service cannot be reached</source>
        <translation>无法连接服务</translation>
    </message>
    <message>
        <source>The service has ended</source>
        <translation>服务已停止</translation>
    </message>
    <message>
        <source>The service is starting…</source>
        <translation>服务正在启动…</translation>
    </message>
    <message>
        <source>The service of this machine</source>
        <translation>本机服务</translation>
    </message>
    <message>
        <source>There is no user yet. The first one is the administrator, who adds everybody else.</source>
        <translation>还没有任何用户。第一个用户是管理员，由其添加其他人。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>The connection to the service was lost. It is being restored; go on working.</source>
        <translation>与服务的连接已断开，正在恢复，您可以继续工作。</translation>
    </message>
    <message>
        <source>The service could not be started or reached. What you edit is kept on this machine.</source>
        <translation>服务无法启动或无法连接。您的编辑会保存在本机。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>MePage</name>
    <message>
        <source>Administrator</source>
        <translation>管理员</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查员</translation>
    </message>
    <message>
        <source>Leave without saving</source>
        <translation>不保存并离开</translation>
    </message>
    <message>
        <source>Leave without saving?</source>
        <translation>不保存就离开？</translation>
    </message>
    <message>
        <source>Log out</source>
        <translation>退出登录</translation>
    </message>
    <message>
        <source>My account</source>
        <translation>我的账户</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>计划员</translation>
    </message>
    <message>
        <source>The password was changed.</source>
        <translation>密码已修改。</translation>
    </message>
    <message>
        <source>The profile was saved.</source>
        <translation>资料已保存。</translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation>查看者</translation>
    </message>
    <message>
        <source>What you changed here is not saved yet.</source>
        <translation>您在这里的修改还没有保存。</translation>
    </message>
    <message>
        <source>You have no right to change your profile.</source>
        <translation>您没有修改个人资料的权限。</translation>
    </message>
</context>
<context>
    <name>Minimap</name>
    <message>
        <source>Overview of the picture</source>
        <translation>图片概览</translation>
    </message>
</context>
<context>
    <name>NoPermissionState</name>
    <message>
        <source>You have no right to see this. Ask an administrator for it.</source>
        <translation>您没有查看此内容的权限，请联系管理员。</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>What do you want to do?</source>
        <translation>想做什么？</translation>
    </message>
</context>
<context>
    <name>PasswordCard</name>
    <message>
        <source>A change ends your logins on other machines.</source>
        <translation>修改后，您在其他机器上的登录会结束。</translation>
    </message>
    <message>
        <source>Change the password</source>
        <translation>修改密码</translation>
    </message>
    <message>
        <source>Choose a password by the rules below.</source>
        <translation>请按下面的规则设置密码。</translation>
    </message>
    <message>
        <source>Current password</source>
        <translation>当前密码</translation>
    </message>
    <message>
        <source>Enter your current password.</source>
        <translation>请输入当前密码。</translation>
    </message>
    <message>
        <source>New password</source>
        <translation>新密码</translation>
    </message>
    <message>
        <source>New password once more</source>
        <translation>再次输入新密码</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>The two passwords differ.</source>
        <translation>两次输入的密码不一致。</translation>
    </message>
</context>
<context>
    <name>PasswordField</name>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>PasswordForm</name>
    <message>
        <source>Enter your password.</source>
        <translation>请输入密码。</translation>
    </message>
    <message>
        <source>Enter your user name.</source>
        <translation>请输入用户名。</translation>
    </message>
    <message>
        <source>Log in</source>
        <translation>登录</translation>
    </message>
    <message>
        <source>Logging in…</source>
        <translation>正在登录…</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>User name</source>
        <translation>用户名</translation>
    </message>
</context>
<context>
    <name>PreparingChip</name>
    <message>
        <source>Preparing full detail</source>
        <translation>正在准备完整细节</translation>
    </message>
    <message>
        <source>Stop preparing full detail</source>
        <translation>停止准备完整细节</translation>
    </message>
</context>
<context>
    <name>ProfileCard</name>
    <message>
        <source>A whole number from 0 to 80.</source>
        <translation>0 到 80 的整数。</translation>
    </message>
    <message>
        <source>Department</source>
        <translation>部门</translation>
    </message>
    <message>
        <source>E-mail</source>
        <translation>邮箱</translation>
    </message>
    <message>
        <source>Female</source>
        <translation>女</translation>
    </message>
    <message>
        <source>Gender</source>
        <translation>性别</translation>
    </message>
    <message>
        <source>Male</source>
        <translation>男</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>姓名</translation>
    </message>
    <message>
        <source>Not specified</source>
        <translation>未填写</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Phone</source>
        <translation>电话</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>个人资料</translation>
    </message>
    <message>
        <source>Save the profile</source>
        <translation>保存资料</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>正在保存…</translation>
    </message>
    <message>
        <source>Years at work</source>
        <translation>工作年限</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Evidence: files and their SHA-256</source>
        <translation>证据：文件及其 SHA-256</translation>
    </message>
    <message>
        <source>Executor</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>完成时间</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>In progress</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Inspection record</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Inspection report</source>
        <translation>检查报告</translation>
    </message>
    <message>
        <source>Made by {person} on {time} with {program}</source>
        <translation>由 {person} 于 {time} 使用 {program} 生成</translation>
    </message>
    <message>
        <source>Model of item {number}</source>
        <translation>条目 {number} 的模型</translation>
    </message>
    <message>
        <source>Model: no result</source>
        <translation>模型：无结果</translation>
    </message>
    <message>
        <source>Model: {verdict}</source>
        <translation>模型：{verdict}</translation>
    </message>
    <message>
        <source>No findings</source>
        <translation>无发现</translation>
    </message>
    <message>
        <source>No picture</source>
        <translation>无图片</translation>
    </message>
    <message>
        <source>No region</source>
        <translation>无区域</translation>
    </message>
    <message>
        <source>Not decided</source>
        <translation>未判定</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>未开始</translation>
    </message>
    <message>
        <source>Page {number} of {total}</source>
        <translation>第 {number} 页，共 {total} 页</translation>
    </message>
    <message>
        <source>Passed</source>
        <translation>已通过</translation>
    </message>
    <message>
        <source>Photo of item {number}</source>
        <translation>条目 {number} 的照片</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Reference image with the numbered regions</source>
        <translation>参考图及编号区域</translation>
    </message>
    <message>
        <source>Region x {x} y {y}, {w} × {h} px</source>
        <translation>区域 x {x} y {y}，{w} × {h} px</translation>
    </message>
    <message>
        <source>Signature and date</source>
        <translation>签字与日期</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>待判定</translation>
    </message>
    <message>
        <source>{verdict} by the model, not confirmed by a person</source>
        <translation>模型判定{verdict}，未经人工确认</translation>
    </message>
    <message>
        <source>{verdict} by {person}, {time}</source>
        <translation>{verdict}，{person}，{time}</translation>
    </message>
</context>
<context>
    <name>SaveMark</name>
    <message>
        <source>All saved</source>
        <translation>已全部保存</translation>
    </message>
    <message numerus="yes">
        <source>Offline, %n edit(s) kept here</source>
        <translation>
            <numerusform>离线，%n 处编辑保存在本机</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saving %n edit(s)</source>
        <translation>
            <numerusform>正在保存 %n 处编辑</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerDialog</name>
    <message>
        <source>A server on the network</source>
        <translation>网络上的服务器</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change server</source>
        <translation>更换服务器</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>The service of this machine</source>
        <translation>本机服务</translation>
    </message>
    <message>
        <source>This is no address. It has the form https://name or name:port.</source>
        <translation>这不是有效地址，正确的形式如 https://名称 或 名称:端口。</translation>
    </message>
    <message>
        <source>Use this service</source>
        <translation>使用此服务</translation>
    </message>
    <message>
        <source>Which service?</source>
        <translation>使用哪个服务？</translation>
    </message>
    <message>
        <source>Without https, passwords and pictures can be read on the way.</source>
        <translation>不使用 https 时，密码和图片可能在传输途中被读取。</translation>
    </message>
</context>
<context>
    <name>Service</name>
    <message>
        <source>Service not reachable</source>
        <translation>服务无法连接</translation>
    </message>
    <message>
        <source>Service ready</source>
        <translation>服务就绪</translation>
    </message>
    <message>
        <source>Service restarting</source>
        <translation>服务正在重启</translation>
    </message>
    <message>
        <source>Service starting</source>
        <translation>服务正在启动</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>In progress</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>未开始</translation>
    </message>
    <message>
        <source>Passed</source>
        <translation>已通过</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>待判定</translation>
    </message>
</context>
<context>
    <name>StrengthLine</name>
    <message>
        <source>8 to 128 characters, not the user name, not a common password.</source>
        <translation>8 到 128 个字符，不能是用户名，也不能是常见密码。</translation>
    </message>
    <message>
        <source>Fair</source>
        <translation>一般</translation>
    </message>
    <message>
        <source>Good</source>
        <translation>良好</translation>
    </message>
    <message>
        <source>Strong</source>
        <translation>强</translation>
    </message>
    <message>
        <source>Too short</source>
        <translation>太短</translation>
    </message>
    <message>
        <source>Weak</source>
        <translation>弱</translation>
    </message>
</context>
<context>
    <name>Viewfinder</name>
    <message>
        <source>Camera</source>
        <translation>摄像头</translation>
    </message>
    <message>
        <source>Camera: {name}</source>
        <translation>摄像头：{name}</translation>
    </message>
    <message>
        <source>Come a little closer</source>
        <translation>请再靠近一些</translation>
    </message>
    <message>
        <source>Good, keep looking</source>
        <translation>很好，请保持</translation>
    </message>
    <message>
        <source>Keep still for a moment</source>
        <translation>请保持不动</translation>
    </message>
    <message>
        <source>Look into the oval</source>
        <translation>请看向椭圆框</translation>
    </message>
    <message>
        <source>More light on your face, please</source>
        <translation>请让面部光线更亮</translation>
    </message>
    <message>
        <source>Move back a little</source>
        <translation>请稍微后退</translation>
    </message>
    <message>
        <source>Move to the middle</source>
        <translation>请移到中间</translation>
    </message>
    <message>
        <source>One person only, please</source>
        <translation>画面中只能有一人</translation>
    </message>
    <message>
        <source>Turn away from the bright light</source>
        <translation>请避开强光</translation>
    </message>
</context>
<context>
    <name>ZoomChip</name>
    <message>
        <source>Fit the picture (F)</source>
        <translation>适合窗口 (F)</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>放大 (+)</translation>
    </message>
    <message>
        <source>Zoom out (−)</source>
        <translation>缩小 (−)</translation>
    </message>
    <message>
        <source>Zoom to 100 % (1)</source>
        <translation>缩放到 100 % (1)</translation>
    </message>
</context>
<context>
    <name>_Welcome</name>
    <message>
        <source>Inspectors and planners are added later, under People.</source>
        <translation>检查员和计划员稍后在“人员”中添加。</translation>
    </message>
    <message>
        <source>No account and no password exists before you make one here.</source>
        <translation>在您于此创建之前，没有任何账户和密码。</translation>
    </message>
    <message>
        <source>Records and pictures stay on this machine, in one folder.</source>
        <translation>记录和图片都保存在本机的一个文件夹中。</translation>
    </message>
    <message>
        <source>Welcome to Walkaround</source>
        <translation>欢迎使用绕机检查工作站</translation>
    </message>
</context>
<context>
    <name>imaging</name>
    <message>
        <source>The picture cannot be read. It is damaged, or no JPEG, PNG, WebP or TIFF.</source>
        <translation>图片无法读取：已损坏，或不是 JPEG、PNG、WebP、TIFF。</translation>
    </message>
    <message>
        <source>The picture has {0} x {1} pixels, more than this program opens.</source>
        <translation>图片有 {0} x {1} 像素，超出本程序可打开的范围。</translation>
    </message>
    <message>
        <source>The picture {0} cannot be prepared for zooming: {1}. Free some disk space.</source>
        <translation>无法为图片 {0} 准备缩放：{1}。请释放一些磁盘空间。</translation>
    </message>
    <message>
        <source>The picture {0} cannot be read to its end. Its file is damaged.</source>
        <translation>图片 {0} 无法完整读取，文件已损坏。</translation>
    </message>
    <message>
        <source>{0} is not there any more.</source>
        <translation>{0} 已不存在。</translation>
    </message>
</context>
<context>
    <name>steps</name>
    <message>
        <source>Align regions</source>
        <translation>对齐区域</translation>
    </message>
    <message>
        <source>Bring region to front</source>
        <translation>区域移到最前</translation>
    </message>
    <message>
        <source>Delete region</source>
        <translation>删除区域</translation>
    </message>
    <message>
        <source>Draw region</source>
        <translation>绘制区域</translation>
    </message>
    <message>
        <source>Duplicate region</source>
        <translation>复制区域</translation>
    </message>
    <message>
        <source>Hide region</source>
        <translation>隐藏区域</translation>
    </message>
    <message>
        <source>Lock region</source>
        <translation>锁定区域</translation>
    </message>
    <message>
        <source>Move region</source>
        <translation>移动区域</translation>
    </message>
    <message>
        <source>Nudge region</source>
        <translation>微移区域</translation>
    </message>
    <message>
        <source>Paste region</source>
        <translation>粘贴区域</translation>
    </message>
    <message>
        <source>Resize region</source>
        <translation>调整区域大小</translation>
    </message>
    <message>
        <source>Send region to back</source>
        <translation>区域移到最后</translation>
    </message>
    <message>
        <source>Show regions</source>
        <translation>显示区域</translation>
    </message>
    <message>
        <source>Unlock region</source>
        <translation>解锁区域</translation>
    </message>
</context>
</TS>
