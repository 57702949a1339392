<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>About</name>
    <message>
        <source>About Walkaround</source>
        <translation>关于绕机检查工作站</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Inspection workstation for surfaces</source>
        <translation>表面检查工作站</translation>
    </message>
    <message>
        <source>Licences of the parts</source>
        <translation>组件许可证</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Nothing is sent anywhere: no telemetry, no update check.</source>
        <translation>不向任何地方发送数据：无遥测，无更新检查。</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>at the service</source>
        <translation>在服务端</translation>
    </message>
    <message>
        <source>this computer&apos;s own</source>
        <translation>本机自带</translation>
    </message>
</context>
<context>
    <name>Accepted</name>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n 张照片</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>Run detection on %n item(s)</source>
        <translation>
            <numerusform>检测这 %n 个条目</numerusform>
        </translation>
    </message>
    <message>
        <source>Take it back</source>
        <translation>撤回</translation>
    </message>
    <message numerus="yes">
        <source>{photos} assigned to %n item(s).</source>
        <translation>
            <numerusform>{photos}已分配给 %n 个条目。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Adding</name>
    <message>
        <source>A photo belongs to an item. Draw a region first ({keys}).</source>
        <translation>照片属于检测条目。请先画一个区域（{keys}）。</translation>
    </message>
    <message>
        <source>Add a photo</source>
        <translation>添加照片</translation>
    </message>
    <message>
        <source>Choose an item for the photo first.</source>
        <translation>请先选择照片所属的条目。</translation>
    </message>
    <message>
        <source>photo</source>
        <translation>照片</translation>
    </message>
</context>
<context>
    <name>AircraftForm</name>
    <message>
        <source>An aircraft needs a name.</source>
        <translation>请填写飞机名称。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Registration</source>
        <translation>注册号</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>机型</translation>
    </message>
</context>
<context>
    <name>AircraftSection</name>
    <message>
        <source>Changed</source>
        <translation>更改时间</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>No aircraft yet. Add the first one; flights and reference images refer to it.</source>
        <translation>还没有飞机。先添加一架，航班和参考图都要用到它。</translation>
    </message>
    <message>
        <source>Registration</source>
        <translation>注册号</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>机型</translation>
    </message>
</context>
<context>
    <name>Aligning</name>
    <message>
        <source>Aligned by three points.</source>
        <translation>已按三点对齐。</translation>
    </message>
    <message>
        <source>Aligned by three points. Detection uses it for this photo from now on.</source>
        <translation>已按三点对齐，此后检测这张照片时使用该对齐。</translation>
    </message>
    <message>
        <source>Click place {n} of 3 in the reference</source>
        <translation>在参考图上点第 {n} 点（共 3 点）</translation>
    </message>
    <message>
        <source>Click the same place {n} of 3 in the photo</source>
        <translation>在照片上点对应的第 {n} 点（共 3 点）</translation>
    </message>
    <message>
        <source>The three places lie on a line. Choose a third one beside it.</source>
        <translation>三点在一条线上，请另选第三点。</translation>
    </message>
</context>
<context>
    <name>Audit</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Audit log</source>
        <translation>审计日志</translation>
    </message>
    <message>
        <source>Brought back</source>
        <translation>恢复已删除的条目</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Detection</source>
        <translation>检测</translation>
    </message>
    <message>
        <source>Detection cancelled</source>
        <translation>检测取消</translation>
    </message>
    <message>
        <source>Detection done</source>
        <translation>检测完成</translation>
    </message>
    <message>
        <source>Detection failed</source>
        <translation>检测失败</translation>
    </message>
    <message>
        <source>Detection model</source>
        <translation>检测模型</translation>
    </message>
    <message>
        <source>Face deleted</source>
        <translation>删除人脸</translation>
    </message>
    <message>
        <source>Face enrolled</source>
        <translation>登记人脸</translation>
    </message>
    <message>
        <source>Face login</source>
        <translation>人脸登录</translation>
    </message>
    <message>
        <source>Face login failed</source>
        <translation>人脸登录失败</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Finished and sealed</source>
        <translation>完成并封存</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>检测条目</translation>
    </message>
    <message>
        <source>Items added</source>
        <translation>添加条目</translation>
    </message>
    <message>
        <source>Labels of findings</source>
        <translation>发现的标签</translation>
    </message>
    <message>
        <source>Log begun</source>
        <translation>日志开始</translation>
    </message>
    <message>
        <source>Log found unsigned</source>
        <translation>发现日志签名不符</translation>
    </message>
    <message>
        <source>Logged in</source>
        <translation>登录</translation>
    </message>
    <message>
        <source>Logged out</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Login</source>
        <translation>登录</translation>
    </message>
    <message>
        <source>Login failed</source>
        <translation>登录失败</translation>
    </message>
    <message>
        <source>Made</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Password change failed</source>
        <translation>修改密码失败</translation>
    </message>
    <message>
        <source>Password changed</source>
        <translation>修改密码</translation>
    </message>
    <message>
        <source>Photo added</source>
        <translation>添加照片</translation>
    </message>
    <message>
        <source>Photo taken off</source>
        <translation>移除照片</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Released</source>
        <translation>已放行</translation>
    </message>
    <message>
        <source>Reopened</source>
        <translation>重新打开</translation>
    </message>
    <message>
        <source>Restored from a backup</source>
        <translation>从备份恢复</translation>
    </message>
    <message>
        <source>Rules for finishing</source>
        <translation>完成规则</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Spent token used again</source>
        <translation>重复使用已失效令牌</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
</context>
<context>
    <name>AuditField</name>
    <message>
        <source>A second person releases</source>
        <translation>由另一人放行</translation>
    </message>
    <message>
        <source>API status</source>
        <translation>接口状态</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Arrival</source>
        <translation>到达地</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Birthday</source>
        <translation>生日</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Department</source>
        <translation>部门</translation>
    </message>
    <message>
        <source>Departure</source>
        <translation>出发地</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Detected</source>
        <translation>已检测</translation>
    </message>
    <message>
        <source>Detection</source>
        <translation>检测</translation>
    </message>
    <message>
        <source>Detection model</source>
        <translation>检测模型</translation>
    </message>
    <message>
        <source>E-mail</source>
        <translation>邮箱</translation>
    </message>
    <message>
        <source>Edition</source>
        <translation>版次</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Executor</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Face</source>
        <translation>人脸</translation>
    </message>
    <message>
        <source>Face model</source>
        <translation>人脸模型</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>File name</source>
        <translation>文件名</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Flight number</source>
        <translation>航班号</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>Gender</source>
        <translation>性别</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>哈希</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>检测条目</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检测条目</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Kind of file</source>
        <translation>文件类型</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Logged in by</source>
        <translation>登录方式</translation>
    </message>
    <message>
        <source>Login</source>
        <translation>登录</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Millimetres per pixel</source>
        <translation>毫米/像素</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Opinions accepted</source>
        <translation>采纳的模型意见</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Phone</source>
        <translation>电话</translation>
    </message>
    <message>
        <source>Photo</source>
        <translation>照片</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Region</source>
        <translation>区域</translation>
    </message>
    <message>
        <source>Registration</source>
        <translation>注册号</translation>
    </message>
    <message>
        <source>Released</source>
        <translation>已放行</translation>
    </message>
    <message>
        <source>Released by</source>
        <translation>放行人</translation>
    </message>
    <message>
        <source>Reopened</source>
        <translation>重新打开</translation>
    </message>
    <message>
        <source>Reopened by</source>
        <translation>重新打开人</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Rights</source>
        <translation>权限</translation>
    </message>
    <message>
        <source>Roles</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Scheduled</source>
        <translation>计划时间</translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>封签</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>机型</translation>
    </message>
    <message>
        <source>Updated</source>
        <translation>更新时间</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>User name</source>
        <translation>用户名</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Way</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
</context>
<context>
    <name>AuditSection</name>
    <message>
        <source>Anything happened</source>
        <translation>全部操作</translation>
    </message>
    <message>
        <source>At any time</source>
        <translation>全部时间</translation>
    </message>
    <message>
        <source>Audit log</source>
        <translation>审计日志</translation>
    </message>
    <message>
        <source>By anybody</source>
        <translation>全部人员</translation>
    </message>
    <message>
        <source>By whom</source>
        <translation>操作人</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Clear the filters</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Details of the entry</source>
        <translation>条目详情</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>Hash: {hash}</source>
        <translation>哈希：{hash}</translation>
    </message>
    <message>
        <source>Id: {id}</source>
        <translation>编号：{id}</translation>
    </message>
    <message numerus="yes">
        <source>In the last %n day(s)</source>
        <translation>
            <numerusform>最近 %n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Nobody logged in</source>
        <translation>未登录</translation>
    </message>
    <message>
        <source>Nothing of this kind happened.</source>
        <translation>没有这样的操作。</translation>
    </message>
    <message>
        <source>The service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Time: {time}</source>
        <translation>时间：{time}</translation>
    </message>
    <message>
        <source>To anything</source>
        <translation>全部对象</translation>
    </message>
    <message>
        <source>To what</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>What</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>操作人</translation>
    </message>
    <message>
        <source>Who: {name}</source>
        <translation>操作人：{name}</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>BatchBar</name>
    <message numerus="yes">
        <source>%n cancelled</source>
        <translation>
            <numerusform>%n 项取消</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n detection(s) done</source>
        <translation>
            <numerusform>已完成 %n 项检测</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n 项失败</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Detecting: {done} of {all}</source>
        <translation>正在检测：{done} / {all}</translation>
    </message>
    <message>
        <source>Progress of the detections</source>
        <translation>检测进度</translation>
    </message>
    <message>
        <source>Retry the failed ones</source>
        <translation>重试失败的</translation>
    </message>
</context>
<context>
    <name>Batches</name>
    <message>
        <source>Nothing waits: every item with a photo and a model has a result.</source>
        <translation>没有待检测的条目：有照片和模型的条目都已有结果。</translation>
    </message>
</context>
<context>
    <name>Bench</name>
    <message>
        <source>Item {n}</source>
        <translation>条目 {n}</translation>
    </message>
</context>
<context>
    <name>CanvasView</name>
    <message>
        <source>Picture with regions</source>
        <translation>带区域的图片</translation>
    </message>
</context>
<context>
    <name>CaptureDialog</name>
    <message>
        <source>Camera</source>
        <translation>摄像头</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Looking for a camera…</source>
        <translation>正在寻找摄像头…</translation>
    </message>
    <message>
        <source>No camera was found. Connect one, or add a photo from a file.</source>
        <translation>没有找到摄像头。请连接摄像头，或从文件添加照片。</translation>
    </message>
    <message>
        <source>Take a photo</source>
        <translation>拍照</translation>
    </message>
    <message>
        <source>Take a photo of the part</source>
        <translation>拍摄部位照片</translation>
    </message>
    <message>
        <source>Take the photo</source>
        <translation>拍照</translation>
    </message>
    <message>
        <source>The camera gives no picture. Is another program using it?</source>
        <translation>摄像头没有画面。是否正被其他程序占用？</translation>
    </message>
</context>
<context>
    <name>Catalogue</name>
    <message numerus="yes">
        <source>%n template region(s)</source>
        <translation>
            <numerusform>%n 个模板区域</numerusform>
        </translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Add images</source>
        <translation>添加图片</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Delete all the same</source>
        <translation>仍然删除</translation>
    </message>
    <message>
        <source>Delete {name} all the same?</source>
        <translation>仍要删除{name}吗？</translation>
    </message>
    <message>
        <source>Detection model</source>
        <translation>检测模型</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Name, description</source>
        <translation>名称、说明</translation>
    </message>
    <message>
        <source>Name, registration, type</source>
        <translation>名称、注册号、机型</translation>
    </message>
    <message>
        <source>New aircraft</source>
        <translation>新建飞机</translation>
    </message>
    <message>
        <source>New flight</source>
        <translation>新建航班</translation>
    </message>
    <message>
        <source>New task</source>
        <translation>新建任务</translation>
    </message>
    <message>
        <source>Number, departure, arrival</source>
        <translation>航班号、出发地、到达地</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Somebody else changed it at {time}:</source>
        <translation>其他人于{time}修改了它：</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>no aircraft</source>
        <translation>未指定飞机</translation>
    </message>
    <message>
        <source>no scale</source>
        <translation>未设比例</translation>
    </message>
</context>
<context>
    <name>CataloguePage</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Catalogue</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Detection models</source>
        <translation>检测模型</translation>
    </message>
    <message>
        <source>Flights</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Sections of the catalogue</source>
        <translation>目录的分类</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>What records refer to, and what looks at their photos</source>
        <translation>检查记录所引用的内容，以及检查照片的模型</translation>
    </message>
</context>
<context>
    <name>CheckDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>Edition {n}, seal {seal}…, %n file(s) compared.</source>
        <translation>
            <numerusform>第 {n} 版，封存码 {seal}…，已核对 %n 个文件。</numerusform>
        </translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>封存</translation>
    </message>
    <message>
        <source>The record differs from its seal</source>
        <translation>记录与封存内容不一致</translation>
    </message>
    <message>
        <source>The record was reopened: the stored edition and its files were checked.</source>
        <translation>记录已重新打开：已核对所存版本及其文件。</translation>
    </message>
    <message>
        <source>The seal is intact</source>
        <translation>封存完好</translation>
    </message>
</context>
<context>
    <name>ClashDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Mine</source>
        <translation>我的</translation>
    </message>
    <message>
        <source>Save this</source>
        <translation>保存选择</translation>
    </message>
    <message>
        <source>Somebody else changed this record</source>
        <translation>这条记录已被他人修改</translation>
    </message>
    <message>
        <source>Theirs</source>
        <translation>对方的</translation>
    </message>
    <message>
        <source>While you were editing, these fields were changed by somebody else too. Choose what stays; what only one of you changed is kept.</source>
        <translation>在您编辑期间，他人也修改了这些字段。请选择保留哪个值；只有一方修改的内容都会保留。</translation>
    </message>
</context>
<context>
    <name>ClassTable</name>
    <message>
        <source>Add a label</source>
        <translation>添加标签</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Classes of the model</source>
        <translation>模型的类别</translation>
    </message>
    <message>
        <source>Fails the photo</source>
        <translation>判为未通过</translation>
    </message>
    <message>
        <source>Own threshold</source>
        <translation>单独阈值</translation>
    </message>
    <message>
        <source>Paste names, one a line</source>
        <translation>粘贴名称，每行一个</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>严重程度</translation>
    </message>
    <message>
        <source>Severity of {label}</source>
        <translation>{label}的严重程度</translation>
    </message>
    <message>
        <source>Threshold of {label}</source>
        <translation>{label}的阈值</translation>
    </message>
    <message>
        <source>as above</source>
        <translation>同上</translation>
    </message>
    <message>
        <source>{label} fails the photo</source>
        <translation>{label}使照片未通过</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>About Walkaround</source>
        <translation>关于绕机检查工作站</translation>
    </message>
    <message>
        <source>Accept the finding</source>
        <translation>确认该发现</translation>
    </message>
    <message>
        <source>Add a photo to the item</source>
        <translation>为条目添加照片</translation>
    </message>
    <message>
        <source>Add photos to the record</source>
        <translation>向检查记录添加照片</translation>
    </message>
    <message>
        <source>Align at the bottom</source>
        <translation>底端对齐</translation>
    </message>
    <message>
        <source>Align at the top</source>
        <translation>顶端对齐</translation>
    </message>
    <message>
        <source>Align left</source>
        <translation>左对齐</translation>
    </message>
    <message>
        <source>Align right</source>
        <translation>右对齐</translation>
    </message>
    <message>
        <source>Back to the last page</source>
        <translation>返回上一页</translation>
    </message>
    <message>
        <source>Blink by hand</source>
        <translation>手动切换闪烁</translation>
    </message>
    <message>
        <source>Brighter</source>
        <translation>调亮</translation>
    </message>
    <message>
        <source>Brightness and contrast as taken</source>
        <translation>恢复原始亮度和对比度</translation>
    </message>
    <message>
        <source>Bring to the front</source>
        <translation>置于最前</translation>
    </message>
    <message>
        <source>Cancel the record</source>
        <translation>取消检查记录</translation>
    </message>
    <message>
        <source>Catalogue and people</source>
        <translation>目录与人员</translation>
    </message>
    <message>
        <source>Clear the filters</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Compare by blinking</source>
        <translation>闪烁比较</translation>
    </message>
    <message>
        <source>Compare by difference</source>
        <translation>差异比较</translation>
    </message>
    <message>
        <source>Compare by overlay</source>
        <translation>叠加比较</translation>
    </message>
    <message>
        <source>Compare by swiping</source>
        <translation>滑动比较</translation>
    </message>
    <message>
        <source>Compare reference and photo</source>
        <translation>对比参考图与照片</translation>
    </message>
    <message>
        <source>Compare side by side</source>
        <translation>并排比较</translation>
    </message>
    <message>
        <source>Compare two versions</source>
        <translation>比较两个版本</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Copy the regions</source>
        <translation>复制区域</translation>
    </message>
    <message>
        <source>Darker</source>
        <translation>调暗</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
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
        <source>Details of the record</source>
        <translation>检查记录详情</translation>
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
        <source>Export the inspection</source>
        <translation>导出检查</translation>
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
        <source>Finish drawing, or zoom to the region</source>
        <translation>完成绘制，或缩放到区域</translation>
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
        <source>Hide or show the minimap</source>
        <translation>隐藏或显示小地图</translation>
    </message>
    <message>
        <source>Hide the chosen regions</source>
        <translation>隐藏所选区域</translation>
    </message>
    <message>
        <source>Ignore an area in detection</source>
        <translation>检测时忽略一个区域</translation>
    </message>
    <message>
        <source>Import regions</source>
        <translation>导入区域</translation>
    </message>
    <message>
        <source>Items and findings</source>
        <translation>条目与发现</translation>
    </message>
    <message>
        <source>Keep the regions as template</source>
        <translation>将区域保存为模板</translation>
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
        <source>Leave the picture</source>
        <translation>离开图片</translation>
    </message>
    <message>
        <source>Leave the picture backwards</source>
        <translation>反向离开图片</translation>
    </message>
    <message>
        <source>Less contrast</source>
        <translation>降低对比度</translation>
    </message>
    <message>
        <source>Lock or unlock the regions</source>
        <translation>锁定或解锁区域</translation>
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
        <source>More contrast</source>
        <translation>提高对比度</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Move down in large steps</source>
        <translation>大步下移</translation>
    </message>
    <message>
        <source>Move left</source>
        <translation>左移</translation>
    </message>
    <message>
        <source>Move left in large steps</source>
        <translation>大步左移</translation>
    </message>
    <message>
        <source>Move right</source>
        <translation>右移</translation>
    </message>
    <message>
        <source>Move right in large steps</source>
        <translation>大步右移</translation>
    </message>
    <message>
        <source>Move the picture</source>
        <translation>移动图片</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move up in large steps</source>
        <translation>大步上移</translation>
    </message>
    <message>
        <source>New entry</source>
        <translation>新建条目</translation>
    </message>
    <message>
        <source>New record</source>
        <translation>新建检查</translation>
    </message>
    <message>
        <source>New user</source>
        <translation>新建用户</translation>
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
        <source>Open the workbench</source>
        <translation>打开工作台</translation>
    </message>
    <message>
        <source>Paste regions</source>
        <translation>粘贴区域</translation>
    </message>
    <message>
        <source>Photos of the record</source>
        <translation>检查记录的照片</translation>
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
        <source>Reopen the record</source>
        <translation>重新打开检查记录</translation>
    </message>
    <message>
        <source>Rules for finishing</source>
        <translation>完成规则</translation>
    </message>
    <message>
        <source>Run detection again on all undecided items</source>
        <translation>重新检测所有未判定的条目</translation>
    </message>
    <message>
        <source>Run detection on everything that waits</source>
        <translation>检测所有待检测的条目</translation>
    </message>
    <message>
        <source>Run detection on this item</source>
        <translation>检测此条目</translation>
    </message>
    <message>
        <source>Run detection where no result is current</source>
        <translation>检测没有最新结果的条目</translation>
    </message>
    <message>
        <source>Save the record</source>
        <translation>保存检查记录</translation>
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
        <source>Send to the back</source>
        <translation>置于最后</translation>
    </message>
    <message>
        <source>Show hidden regions</source>
        <translation>显示隐藏的区域</translation>
    </message>
    <message>
        <source>Show the photo or the reference</source>
        <translation>显示照片或参考图</translation>
    </message>
    <message>
        <source>Snap to edges</source>
        <translation>吸附到边缘</translation>
    </message>
    <message>
        <source>Take a photo for the record</source>
        <translation>为检查记录拍照</translation>
    </message>
    <message>
        <source>Take a photo of the item</source>
        <translation>为条目拍照</translation>
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
        <translation>判定：待判定</translation>
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
        <source>Write the report as HTML</source>
        <translation>生成 HTML 报告</translation>
    </message>
    <message>
        <source>Write the report as PDF</source>
        <translation>生成 PDF 报告</translation>
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
    <name>CompareBar</name>
    <message>
        <source>How much of the photo is seen</source>
        <translation>照片显示的比例</translation>
    </message>
    <message>
        <source>Ways to compare</source>
        <translation>比较方式</translation>
    </message>
</context>
<context>
    <name>CompareVersions</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Compare versions</source>
        <translation>比较版本</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>Findings of both versions</source>
        <translation>两个版本的发现</translation>
    </message>
    <message>
        <source>First</source>
        <translation>第一个</translation>
    </message>
    <message>
        <source>First version</source>
        <translation>第一个版本</translation>
    </message>
    <message>
        <source>Second</source>
        <translation>第二个</translation>
    </message>
    <message>
        <source>Second version</source>
        <translation>第二个版本</translation>
    </message>
    <message>
        <source>They looked at different photos.</source>
        <translation>两个版本检测的不是同一张照片。</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位于</translation>
    </message>
    <message>
        <source>in both</source>
        <translation>两个都有</translation>
    </message>
    <message>
        <source>only in the first</source>
        <translation>只在第一个</translation>
    </message>
    <message>
        <source>only in the second</source>
        <translation>只在第二个</translation>
    </message>
    <message>
        <source>relabelled</source>
        <translation>名称不同</translation>
    </message>
    <message>
        <source>{both} in both, {first} only in the first, {second} only in the second.</source>
        <translation>两个版本都有 {both} 处，只在第一个有 {first} 处，只在第二个有 {second} 处。</translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Photo</source>
        <translation>照片</translation>
    </message>
    <message>
        <source>Photo {0} %</source>
        <translation>照片 {0} %</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考</translation>
    </message>
    <message>
        <source>Reference and photo</source>
        <translation>参考图与照片</translation>
    </message>
</context>
<context>
    <name>Comparing</name>
    <message>
        <source>The photo is not aligned. Run detection, or align it by three points.</source>
        <translation>照片尚未对齐。请先检测，或用三点对齐。</translation>
    </message>
    <message>
        <source>This item has no photo to compare yet.</source>
        <translation>这个条目还没有可对比的照片。</translation>
    </message>
    <message>
        <source>This item has no two versions to compare.</source>
        <translation>这个条目还没有两个版本可以比较。</translation>
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
    <name>ConflictDialog</name>
    <message>
        <source>(empty)</source>
        <translation>（空）</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>（无）</translation>
    </message>
    <message>
        <source>A person</source>
        <translation>某人</translation>
    </message>
    <message>
        <source>An item</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Decide</source>
        <translation>请决定</translation>
    </message>
    <message>
        <source>Delete it all the same</source>
        <translation>仍然删除</translation>
    </message>
    <message>
        <source>Drop this edit</source>
        <translation>放弃这处修改</translation>
    </message>
    <message>
        <source>Keep the item</source>
        <translation>保留该条目</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>稍后</translation>
    </message>
    <message>
        <source>Mine: {value}</source>
        <translation>我的：{value}</translation>
    </message>
    <message>
        <source>Other findings make the item undecided: a verdict is given for what it saw.</source>
        <translation>发现改变后条目回到待判定：判定只针对当时所见的发现。</translation>
    </message>
    <message>
        <source>Somebody else changed this item meanwhile. Choose what shall stay.</source>
        <translation>其他人在此期间修改了这个条目，请选择保留哪一个。</translation>
    </message>
    <message>
        <source>The service did not take this edit.</source>
        <translation>服务没有接受这处修改。</translation>
    </message>
    <message>
        <source>Theirs: {value}</source>
        <translation>对方的：{value}</translation>
    </message>
    <message>
        <source>These edits need you</source>
        <translation>这些修改需要您决定</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>{name} changed this item meanwhile. Choose what shall stay.</source>
        <translation>{name}在此期间修改了这个条目，请选择保留哪一个。</translation>
    </message>
</context>
<context>
    <name>Correcting</name>
    <message numerus="yes">
        <source>%n change(s) of findings restored that you had not saved.</source>
        <translation>
            <numerusform>已恢复 %n 处尚未保存的发现修改。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CorrectionBar</name>
    <message numerus="yes">
        <source>%n change(s), not saved yet</source>
        <translation>
            <numerusform>%n 处更改，尚未保存</numerusform>
        </translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Draw a finding</source>
        <translation>画发现</translation>
    </message>
    <message>
        <source>Save as a new version</source>
        <translation>存为新版本</translation>
    </message>
</context>
<context>
    <name>DateRange</name>
    <message>
        <source>Any time</source>
        <translation>不限时间</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message numerus="yes">
        <source>Last %n day(s)</source>
        <translation>
            <numerusform>近 %n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
</context>
<context>
    <name>DeleteDialog</name>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n 张照片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n verdict(s)</source>
        <translation>
            <numerusform>%n 条判定</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n item(s)</source>
        <translation>
            <numerusform>删除 %n 个条目</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n item(s)?</source>
        <translation>
            <numerusform>删除 %n 个条目？</numerusform>
        </translation>
    </message>
    <message>
        <source>Reason, for the audit log</source>
        <translation>理由（记入审计日志）</translation>
    </message>
    <message>
        <source>What goes as well: {what}. Undo brings everything back.</source>
        <translation>将一并删除：{what}。撤销可以全部恢复。</translation>
    </message>
</context>
<context>
    <name>Deleting</name>
    <message numerus="yes">
        <source>%n locked item(s) not deleted. Unlock first ({keys}).</source>
        <translation>
            <numerusform>%n 个已锁定的条目未删除。请先解锁（{keys}）。</numerusform>
        </translation>
    </message>
    <message>
        <source>No finding is chosen. Click one first, or click an item to delete that.</source>
        <translation>没有选中发现。请先点击一个发现；要删除条目，请先点击条目。</translation>
    </message>
    <message>
        <source>No item is chosen in the list.</source>
        <translation>列表中没有选中条目。</translation>
    </message>
    <message>
        <source>No region is chosen on the picture. Items without one are deleted in the list.</source>
        <translation>图上没有选中区域。没有区域的条目请在列表中删除。</translation>
    </message>
    <message>
        <source>Nothing was deleted: the regions are hidden. Show them first ({keys}).</source>
        <translation>没有删除：区域已隐藏。请先显示区域（{keys}）。</translation>
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
    <name>Detecting</name>
    <message numerus="yes">
        <source>%n item(s) left out: without a photo or a model.</source>
        <translation>
            <numerusform>有 %n 个条目未检测：没有照片或检测模型。</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose a detection model for this item first.</source>
        <translation>请先为这个条目选择检测模型。</translation>
    </message>
    <message>
        <source>Nothing to detect: no undecided item has both a photo and a model.</source>
        <translation>没有可检测的条目：没有待判定且同时有照片和模型的条目。</translation>
    </message>
</context>
<context>
    <name>Detection</name>
    <message>
        <source>Built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>DETR</source>
        <translation>DETR</translation>
    </message>
    <message>
        <source>NMS-free, rows of six</source>
        <translation>无 NMS（每行六个值）</translation>
    </message>
    <message>
        <source>Region or photo is too small to compare. Enlarge the region or take the photo anew.</source>
        <translation>标记区域或照片过小，无法比较，请放大区域或重新拍摄。</translation>
    </message>
    <message>
        <source>The detection ended unexpectedly several times. Check photo and model, then retry.</source>
        <translation>检测多次意外退出，请检查照片和模型后重试。</translation>
    </message>
    <message>
        <source>The detection settings of this item make no sense. Check sensitivity, smallest defect and ignored areas.</source>
        <translation>该条目的检测设置不正确，请检查灵敏度、最小缺陷和忽略区域。</translation>
    </message>
    <message>
        <source>The detection took too long. Try a smaller picture or a faster model.</source>
        <translation>检测超时，请换较小的图片或更快的模型。</translation>
    </message>
    <message>
        <source>The detection was cancelled.</source>
        <translation>检测已取消。</translation>
    </message>
    <message>
        <source>The file of the model is lost. Ask your administrator to add the model anew.</source>
        <translation>检测模型的文件已丢失，请联系管理员重新添加该模型。</translation>
    </message>
    <message>
        <source>The file of the photo or reference image is lost. Upload it anew.</source>
        <translation>照片或参考图的文件已丢失，请重新上传。</translation>
    </message>
    <message>
        <source>The model failed. Check its file or choose another one.</source>
        <translation>检测模型运行失败，请检查模型文件或选择其他模型。</translation>
    </message>
    <message>
        <source>The photo does not fit the region. Check that it shows this place, or take it anew.</source>
        <translation>照片与标记区域对不上，请确认拍摄的是该部位，或重新拍摄。</translation>
    </message>
    <message>
        <source>The photo does not show the whole region. Take it anew.</source>
        <translation>照片没有完整拍到标记区域，请重新拍摄。</translation>
    </message>
    <message>
        <source>The picture cannot be read. Take or upload it anew.</source>
        <translation>图片已损坏或格式不支持，请重新拍摄或上传。</translation>
    </message>
    <message>
        <source>The picture is too large. Upload a smaller one.</source>
        <translation>图片过大，请缩小后重新上传。</translation>
    </message>
    <message>
        <source>The service does not have this model. Choose another one.</source>
        <translation>服务中没有该检测模型，请选择其他模型。</translation>
    </message>
    <message>
        <source>The service made a mistake. Try again, then ask your administrator.</source>
        <translation>服务发生内部错误，请重试；若再次出现请联系管理员。</translation>
    </message>
    <message>
        <source>The service may not write to its disk. Ask your administrator, then retry.</source>
        <translation>服务无法写入磁盘。请联系管理员检查权限后重试。</translation>
    </message>
    <message>
        <source>The service ran out of memory. Try with a smaller picture.</source>
        <translation>服务内存不足，请换较小的图片后重试。</translation>
    </message>
    <message>
        <source>The service&apos;s disk is full, the result is not kept. Make room, then retry.</source>
        <translation>服务的磁盘已满，结果无法保存。请清理磁盘空间后重试。</translation>
    </message>
    <message>
        <source>This item has no detection model. Choose one.</source>
        <translation>该条目没有检测模型，请选择一个。</translation>
    </message>
    <message>
        <source>This item has no photo yet. Add one first.</source>
        <translation>该条目还没有照片，请先添加照片。</translation>
    </message>
    <message>
        <source>This item has no region or no reference image. Draw a region.</source>
        <translation>该条目没有标记区域或参考图，请先画出区域。</translation>
    </message>
    <message>
        <source>This model is disabled. Choose another one.</source>
        <translation>该检测模型已停用，请选择其他模型。</translation>
    </message>
    <message>
        <source>With NMS inside</source>
        <translation>内含 NMS</translation>
    </message>
    <message>
        <source>YOLOX</source>
        <translation>YOLOX</translation>
    </message>
    <message>
        <source>YOLOv5 / v8 / v11</source>
        <translation>YOLOv5 / v8 / v11</translation>
    </message>
</context>
<context>
    <name>Dropping</name>
    <message>
        <source>A link is no picture. Save the picture as a file, then drop the file.</source>
        <translation>链接不是图片。请先把图片存为文件，再拖入文件。</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message numerus="yes">
        <source>Add %n photo(s)?</source>
        <translation>
            <numerusform>添加 %n 张照片？</numerusform>
        </translation>
    </message>
    <message>
        <source>All of them become photos of item {n}, {name}.</source>
        <translation>它们都将成为条目 {n}“{name}”的照片。</translation>
    </message>
    <message>
        <source>Drop a picture to draw the regions on</source>
        <translation>松开鼠标，以此图片作为参考图</translation>
    </message>
    <message>
        <source>Drop one picture: a record has one reference image.</source>
        <translation>请只拖入一张图片：一条记录只有一张参考图。</translation>
    </message>
    <message>
        <source>Drop photos of the record, or a file with regions</source>
        <translation>松开即可添加为检查记录的照片，或导入区域文件</translation>
    </message>
    <message>
        <source>Drop to add to the photos of item {n}, {name}</source>
        <translation>松开鼠标，添加为条目 {n}“{name}”的照片</translation>
    </message>
    <message>
        <source>Not taken, drop it by itself: {names}</source>
        <translation>未添加，请单独拖入：{names}</translation>
    </message>
    <message>
        <source>Not taken, neither picture nor regions: {names}</source>
        <translation>未添加，既不是图片也不是区域文件：{names}</translation>
    </message>
    <message>
        <source>Several files with regions were dropped. Drop them one by one.</source>
        <translation>拖入了多个区域文件，请逐个拖入。</translation>
    </message>
    <message>
        <source>The files cannot be read: {why}</source>
        <translation>无法读取文件：{why}</translation>
    </message>
</context>
<context>
    <name>EditUser</name>
    <message>
        <source>Name</source>
        <translation>姓名</translation>
    </message>
    <message>
        <source>User name</source>
        <translation>用户名</translation>
    </message>
</context>
<context>
    <name>Editing</name>
    <message>
        <source>Accept the finding</source>
        <translation>确认该发现</translation>
    </message>
    <message>
        <source>Delete the finding</source>
        <translation>删除发现</translation>
    </message>
    <message>
        <source>Relabel the finding</source>
        <translation>修改发现的标签</translation>
    </message>
    <message>
        <source>Take the acceptance back</source>
        <translation>取消确认</translation>
    </message>
</context>
<context>
    <name>EditionsDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Edition {n}: {outcome}</source>
        <translation>第 {n} 版：{outcome}</translation>
    </message>
    <message>
        <source>Editions</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Report of edition {n}</source>
        <translation>第 {n} 版的报告</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>封存码</translation>
    </message>
    <message>
        <source>Sealed editions</source>
        <translation>封存版本</translation>
    </message>
</context>
<context>
    <name>Edits</name>
    <message numerus="yes">
        <source>%n edit(s) kept on this machine, sent when you log in again.</source>
        <translation>
            <numerusform>%n 处编辑保存在本机，再次登录后发送。</numerusform>
        </translation>
    </message>
    <message>
        <source>Edits cannot be kept on this machine: {why}</source>
        <translation>无法在本机保存修改：{why}</translation>
    </message>
    <message>
        <source>This was not done, the disk did not take it: {why}</source>
        <translation>操作没有完成，磁盘无法写入：{why}</translation>
    </message>
    <message>
        <source>Walkaround is open in another window with this account. Edit there; here you can only look.</source>
        <translation>此账号已在另一个窗口中打开。请在那里编辑，这里只能查看。</translation>
    </message>
</context>
<context>
    <name>EnrolDialog</name>
    <message>
        <source>1 of 4: look straight into the camera</source>
        <translation>第 1 步（共 4 步）：请正视摄像头</translation>
    </message>
    <message>
        <source>2 of 4: turn your head a little to the left</source>
        <translation>第 2 步（共 4 步）：请将头稍微转向左侧</translation>
    </message>
    <message>
        <source>3 of 4: turn your head a little to the right</source>
        <translation>第 3 步（共 4 步）：请将头稍微转向右侧</translation>
    </message>
    <message>
        <source>4 of 4: look straight ahead, glasses on if they were off, or off</source>
        <translation>第 4 步（共 4 步）：请正视前方；之前没戴眼镜请戴上，之前戴着请摘下</translation>
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
        <source>I wear no glasses</source>
        <translation>我不戴眼镜</translation>
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
        <source>Taken. Now your glasses, if you wear any.</source>
        <translation>已拍摄。如果您戴眼镜，请换成戴上或摘下。</translation>
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
    <name>EntryForm</name>
    <message>
        <source>(empty)</source>
        <translation>（空）</translation>
    </message>
    <message>
        <source>Not set</source>
        <translation>未指定</translation>
    </message>
    <message>
        <source>Somebody else changed this meanwhile. Save again to keep yours, or cancel.</source>
        <translation>其间他人修改了此条目。再次保存可保留您的内容，或取消。</translation>
    </message>
    <message>
        <source>Somebody else wrote here meanwhile: {theirs}</source>
        <translation>其间他人将此处改为：{theirs}</translation>
    </message>
    <message>
        <source>The description is too long: at most 20,000 characters.</source>
        <translation>说明过长，最多 20,000 个字符。</translation>
    </message>
    <message>
        <source>There is none of this name. Choose one of the list, or leave it empty.</source>
        <translation>没有这个名称。请从列表中选择，或留空。</translation>
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
    <message numerus="yes">
        <source>%n flight(s)</source>
        <translation>
            <numerusform>%n 个航班</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) are being detected: {names}. Wait or cancel it first.</source>
        <translation>
            <numerusform>还有 %n 个检测条目正在检测：{names}。请等待检测结束或先取消检测。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) have no verdict yet: {names}</source>
        <translation>
            <numerusform>还有 %n 个检测条目没有人工判定：{names}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n reference image(s)</source>
        <translation>
            <numerusform>%n 张参考图</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n task(s)</source>
        <translation>
            <numerusform>%n 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>A name cannot be blank. Enter one.</source>
        <translation>名称不能只含空白字符，请输入名称。</translation>
    </message>
    <message>
        <source>A password has 8 to 128 characters.</source>
        <translation>密码长度为 8 到 128 个字符。</translation>
    </message>
    <message>
        <source>A phone number has only digits, blanks, brackets, + and -.</source>
        <translation>电话号码只能包含数字、空格、括号、+ 和 -。</translation>
    </message>
    <message>
        <source>A trial run of the model failed. Check the input size of the export.</source>
        <translation>模型试运行失败，请检查导出的输入尺寸。</translation>
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
        <source>At least one administrator must stay enabled.</source>
        <translation>至少要保留一名启用的管理员。</translation>
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
        <source>Checking the model took too long. It was not accepted.</source>
        <translation>模型检查超时，文件未被接受。</translation>
    </message>
    <message>
        <source>Enter more than spaces.</source>
        <translation>不能只填写空格。</translation>
    </message>
    <message>
        <source>Face login is off here. Log in by password.</source>
        <translation>此处已关闭人脸登录，请用密码登录。</translation>
    </message>
    <message>
        <source>Face recognition does not work at the moment. Try again later, or log in by password.</source>
        <translation>人脸模块暂时不可用，请稍后再试或联系管理员</translation>
    </message>
    <message>
        <source>Mouth and nose are covered. Take the mask off and take it again.</source>
        <translation>口鼻被遮住。请摘下口罩后重拍。</translation>
    </message>
    <message>
        <source>No font on this computer has the characters {codes}. Install one that has them, or write the report as HTML.</source>
        <translation>这台电脑上没有包含字符 {codes} 的字体。请安装包含它们的字体，或将报告写为 HTML。</translation>
    </message>
    <message>
        <source>ONNX Runtime cannot open the model. Check the version of the export.</source>
        <translation>ONNX Runtime 无法打开该模型，请检查导出的版本。</translation>
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
        <source>Still used by {what}. Change or delete these first.</source>
        <translation>仍被{what}引用，请先修改或删除它们。</translation>
    </message>
    <message>
        <source>The built-in model has no settings of its own. Set sensitivity, smallest defect and ignored areas at the item.</source>
        <translation>内置模型没有可更改的设置，请在检测条目上设置灵敏度、最小缺陷和忽略区域</translation>
    </message>
    <message>
        <source>The chosen record has no items.</source>
        <translation>所选的检查记录没有检查项。</translation>
    </message>
    <message>
        <source>The content of this file is lost. Ask an administrator to restore it from a backup.</source>
        <translation>文件内容已丢失，请联系管理员从备份中恢复</translation>
    </message>
    <message>
        <source>The current password is wrong.</source>
        <translation>当前密码不正确。</translation>
    </message>
    <message>
        <source>The database does not answer, so this may not have been done. Check it later and try again; if it stays, tell an administrator.</source>
        <translation>数据库没有响应，本次操作可能没有完成，请稍后核对并重试；若反复出现，请联系管理员。</translation>
    </message>
    <message>
        <source>The database does not answer. Try again later.</source>
        <translation>数据库没有响应，请稍后再试</translation>
    </message>
    <message>
        <source>The database is busy, so this was not done. Try again later; if it stays, tell an administrator.</source>
        <translation>数据库正忙，本次操作没有完成，请稍后重试；若反复出现，请联系管理员。</translation>
    </message>
    <message>
        <source>The database of the server is damaged. Ask an administrator to restore a backup.</source>
        <translation>服务器的数据库已损坏，请联系管理员从备份恢复</translation>
    </message>
    <message>
        <source>The disk of the server is full, so the picture cannot be prepared. Tell an administrator.</source>
        <translation>服务器磁盘空间不足，无法生成图片分块，请联系管理员</translation>
    </message>
    <message>
        <source>The disk of the server is full, so this was not saved. Tell an administrator, then try again.</source>
        <translation>服务器磁盘空间不足，本次修改没有保存，请联系管理员清理磁盘后重试</translation>
    </message>
    <message>
        <source>The end must not be before the start.</source>
        <translation>结束时间不能早于开始时间。</translation>
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
        <source>The file did not arrive whole. Send it again.</source>
        <translation>上传未完成，请重新上传</translation>
    </message>
    <message>
        <source>The file does not tell whether classes come by softmax or sigmoid. Choose one of them.</source>
        <translation>文件没有说明类别输出用 softmax 还是 sigmoid，请选择其一</translation>
    </message>
    <message>
        <source>The file is empty. Choose another one.</source>
        <translation>文件是空的，请重新选择文件</translation>
    </message>
    <message>
        <source>The file of the photo is not there. Add the photo again.</source>
        <translation>照片文件不存在，请重新上传</translation>
    </message>
    <message>
        <source>The file of the picture is not there. Add the picture again.</source>
        <translation>文件不存在，请先上传参考图的图片</translation>
    </message>
    <message>
        <source>The first administrator can only be made at the machine that runs the service.</source>
        <translation>首个管理员只能在运行服务的计算机上创建</translation>
    </message>
    <message>
        <source>The first administrator cannot be made through a proxy. Do it at the machine that runs the service.</source>
        <translation>首个管理员不能通过代理创建，请在本机直接访问服务</translation>
    </message>
    <message>
        <source>The input of the model is not one picture with three channels.</source>
        <translation>模型的输入不是一张三通道图片，无法用于检测。</translation>
    </message>
    <message>
        <source>The labels are not valid. Give a list of texts.</source>
        <translation>标签列表不正确，请提供文本列表。</translation>
    </message>
    <message>
        <source>The model ended the process that checked it. It was not accepted.</source>
        <translation>检查模型时进程异常退出，文件未被接受。</translation>
    </message>
    <message>
        <source>The model refers to other files. Export it as a single ONNX file.</source>
        <translation>模型引用了外部数据文件，请导出为单个 ONNX 文件。</translation>
    </message>
    <message>
        <source>The model turns its boxes or finds none at all. Export one that detects objects.</source>
        <translation>模型的任务不是目标检测（例如旋转框或分类），请导出目标检测模型</translation>
    </message>
    <message>
        <source>The model uses custom operators. Export it with standard ONNX operators.</source>
        <translation>模型使用了自定义算子，请改用标准 ONNX 算子导出。</translation>
    </message>
    <message>
        <source>The model&apos;s outputs are of no kind that is supported. Export it as one of these kinds.</source>
        <translation>模型的输出不是任何一种支持的检测格式，请按其中一种重新导出。</translation>
    </message>
    <message>
        <source>The model&apos;s outputs do not fit the chosen kind. Choose another one.</source>
        <translation>模型的输出与所选的模型类型不符，请重新选择。</translation>
    </message>
    <message>
        <source>The output of the model can be read in several ways. Choose its kind.</source>
        <translation>模型的输出可以有几种读法，请选择模型类型</translation>
    </message>
    <message>
        <source>The password must not be the user name.</source>
        <translation>密码不能与用户名相同。</translation>
    </message>
    <message>
        <source>The picture carries too much text or too many channels. Save it anew as a plain picture.</source>
        <translation>图片附带的文字或颜色通道过多，请用图片软件另存为普通图片后再上传</translation>
    </message>
    <message>
        <source>The picture could not be prepared. Try again later.</source>
        <translation>图片分块生成失败，请稍后再试</translation>
    </message>
    <message>
        <source>The picture has more than 50 megapixels. Make it smaller, then try again.</source>
        <translation>图片超过 5000 万像素。请缩小后重试。</translation>
    </message>
    <message>
        <source>The picture is damaged and cannot be read. Choose another one.</source>
        <translation>图片已损坏，无法读取，请重新选择图片</translation>
    </message>
    <message>
        <source>The picture is damaged, so it cannot be shown.</source>
        <translation>图片已损坏，无法分块显示</translation>
    </message>
    <message>
        <source>The picture is damaged, so nothing can be cut from it.</source>
        <translation>图片已损坏，无法截取</translation>
    </message>
    <message>
        <source>The picture is damaged, so there is no small picture of it.</source>
        <translation>图片已损坏，无法生成缩略图</translation>
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
        <source>The picture of the face did not arrive whole. Choose it again.</source>
        <translation>人脸图像不是有效的 Base64 内容，请重新选择照片</translation>
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
        <source>The record awaits no release. Reload it.</source>
        <translation>检查记录不在等待放行的状态，请刷新后再试。</translation>
    </message>
    <message>
        <source>The record has items already. A template is for a record without items.</source>
        <translation>检查记录已有检查项；模板只能用于没有检查项的记录</translation>
    </message>
    <message>
        <source>The record has no items, so it cannot be finished. Draw a region first.</source>
        <translation>检查记录没有检查项，不能完成</translation>
    </message>
    <message>
        <source>The record has no reference image, so there is no template to take over.</source>
        <translation>检查记录没有参考图，无法套用模板。</translation>
    </message>
    <message>
        <source>The record has no such edition.</source>
        <translation>检查记录没有这一版封存内容。</translation>
    </message>
    <message>
        <source>The record is cancelled. Reopen it, then finish it.</source>
        <translation>检查记录已取消，不能完成；请先修改它的状态</translation>
    </message>
    <message>
        <source>The record is finished and sealed. Whoever has the right can reopen it, with a reason.</source>
        <translation>检查记录已完成并封存，不能修改；如需修改，请由有权限的人员填写原因后重新打开。</translation>
    </message>
    <message>
        <source>The record is not sealed. Finish it first.</source>
        <translation>检查记录没有封存，请先完成检查记录。</translation>
    </message>
    <message>
        <source>The record starts in the future. Correct its start, then finish it.</source>
        <translation>开始时间晚于现在，请先更正开始时间再完成。</translation>
    </message>
    <message>
        <source>The reference image has no template. Save regions with it first.</source>
        <translation>参考图没有模板，请先在参考图上保存区域。</translation>
    </message>
    <message>
        <source>The server may not write to its data folder, so this was not saved. Tell an administrator.</source>
        <translation>服务器的数据目录不可写，本次修改没有保存，请联系管理员检查权限后重试</translation>
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
        <source>The settings of the model are not valid. Check each of them.</source>
        <translation>模型设置不正确，请检查各项设置。</translation>
    </message>
    <message>
        <source>The stored content of edition {n} does not match its seal. Verify the seal and tell an administrator.</source>
        <translation>第 {n} 版的存储内容与封签不符。请核对封签并告知管理员。</translation>
    </message>
    <message>
        <source>There is a model of this name. Choose another name.</source>
        <translation>已有同名的检测模型，请换一个名称。</translation>
    </message>
    <message>
        <source>There is a user already. Log in.</source>
        <translation>已有用户，请直接登录</translation>
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
        <source>There is no such version of the result. Open the record again, then correct it.</source>
        <translation>没有这个版本的检测结果，请刷新后再修改</translation>
    </message>
    <message>
        <source>This aircraft is no longer there. Reload the list.</source>
        <translation>飞机不存在</translation>
    </message>
    <message>
        <source>This batch is no longer there.</source>
        <translation>没有这一批检测任务</translation>
    </message>
    <message>
        <source>This computer has no font with Chinese characters. Install one (on Debian and Ubuntu the package {package}), or write the report as HTML.</source>
        <translation>这台电脑没有中文字体。请安装一种（Debian 和 Ubuntu 上的软件包 {package}），或将报告写为 HTML。</translation>
    </message>
    <message>
        <source>This detection is no longer there.</source>
        <translation>检测任务不存在</translation>
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
        <source>This file is no longer there.</source>
        <translation>文件不存在</translation>
    </message>
    <message>
        <source>This file is no picture. Choose a JPEG, PNG, WebP, TIFF or BMP file.</source>
        <translation>该文件不是图片，请选择 JPEG、PNG、WebP、TIFF 或 BMP 文件。</translation>
    </message>
    <message>
        <source>This flight is no longer there. Reload the list.</source>
        <translation>航班不存在</translation>
    </message>
    <message>
        <source>This is no complete ONNX model. Export it anew.</source>
        <translation>该文件不是完整的 ONNX 模型，请重新导出后再上传。</translation>
    </message>
    <message>
        <source>This is no e-mail address; it has the form name@example.com.</source>
        <translation>这不是邮箱地址，正确的形式如 name@example.com。</translation>
    </message>
    <message>
        <source>This is no picture that can be read. Choose a JPEG, PNG, WebP, TIFF or BMP file; let a phone that takes HEIC take JPEG.</source>
        <translation>该文件不是可读取的图片，请选择 JPEG、PNG、WebP、TIFF 或 BMP 文件；手机若拍摄 HEIC，请改为拍摄 JPEG。</translation>
    </message>
    <message>
        <source>This is not valid.</source>
        <translation>内容无效。</translation>
    </message>
    <message>
        <source>This is the current password. Choose another one.</source>
        <translation>新密码不能与原密码相同，请换一个。</translation>
    </message>
    <message>
        <source>This is too large. Choose a smaller file.</source>
        <translation>文件过大，请选择较小的文件。</translation>
    </message>
    <message>
        <source>This item is no longer there. Open the record again.</source>
        <translation>检查项不存在</translation>
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
        <source>This model is no longer there. Reload the list.</source>
        <translation>检测模型不存在</translation>
    </message>
    <message>
        <source>This needs a fresh login by password. Log out, log in by password, then try again.</source>
        <translation>此操作需要刚刚用密码登录过。请退出后用密码登录，再重试。</translation>
    </message>
    <message>
        <source>This password is too common. Choose another one.</source>
        <translation>这个密码太常见，请换一个。</translation>
    </message>
    <message>
        <source>This photo is no longer there. Open the record again.</source>
        <translation>照片不存在</translation>
    </message>
    <message>
        <source>This record is no longer there. Reload the list.</source>
        <translation>检查记录不存在</translation>
    </message>
    <message>
        <source>This reference image is no longer there. Reload the list.</source>
        <translation>参考图不存在</translation>
    </message>
    <message>
        <source>This task is no longer there. Reload the list.</source>
        <translation>任务不存在</translation>
    </message>
    <message>
        <source>This user is no longer there. Reload the list.</source>
        <translation>用户不存在</translation>
    </message>
    <message>
        <source>This user name is taken. Choose another one.</source>
        <translation>用户名已存在，请换一个。</translation>
    </message>
    <message>
        <source>Times in the record are ahead of the service&apos;s clock. Have that clock set right first.</source>
        <translation>记录中的时间晚于服务器的时钟，请先校准服务器的时间。</translation>
    </message>
    <message>
        <source>Too many pictures wait to be prepared. Try again later.</source>
        <translation>等待分块的图片过多，请稍后再试</translation>
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
        <source>You finished this record yourself. Another person has to release it.</source>
        <translation>完成检查的人不能放行自己的检查记录，请由另一人放行。</translation>
    </message>
    <message>
        <source>You have no right to do this. Ask an administrator.</source>
        <translation>您没有此操作的权限，请联系管理员。</translation>
    </message>
    <message>
        <source>Your login has ended. Log in again.</source>
        <translation>登录已结束，请重新登录。</translation>
    </message>
    <message>
        <source>other entries</source>
        <translation>其他条目</translation>
    </message>
</context>
<context>
    <name>Exchange</name>
    <message numerus="yes">
        <source>%n other shape(s) became the rectangle around them.</source>
        <translation>
            <numerusform>%n 个其他形状已转换为外接矩形。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n outside the picture left out.</source>
        <translation>
            <numerusform>另有 %n 个位于图片之外，未导入。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n region(s) imported.</source>
        <translation>
            <numerusform>已导入 %n 个区域。</numerusform>
        </translation>
    </message>
    <message>
        <source>Import regions</source>
        <translation>导入区域</translation>
    </message>
    <message>
        <source>Item {n}</source>
        <translation>条目 {n}</translation>
    </message>
    <message>
        <source>No region in this file lies inside the reference image.</source>
        <translation>文件中没有落在参考图内的区域。</translation>
    </message>
    <message>
        <source>Regions ({patterns})</source>
        <translation>区域文件 ({patterns})</translation>
    </message>
    <message>
        <source>The file cannot be read: {why}</source>
        <translation>无法读取文件：{why}</translation>
    </message>
    <message>
        <source>The reference image is not open yet. Import again when you see it.</source>
        <translation>参考图尚未打开。请在看到参考图后再导入。</translation>
    </message>
    <message>
        <source>This file holds no regions that can be read. Choose JSON, CSV, COCO, YOLO or labelme, undamaged.</source>
        <translation>文件中没有可读取的区域。请选择完好的 JSON、CSV、COCO、YOLO 或 labelme 文件。</translation>
    </message>
    <message>
        <source>This file is too large: {n} regions and 64 MB are the most.</source>
        <translation>文件过大：最多 {n} 个区域、64 MB。</translation>
    </message>
    <message>
        <source>This file speaks of several pictures and none is named like the reference image. Rename it there, or choose a file with one picture.</source>
        <translation>文件中有多张图片，没有一张与参考图同名。请在文件中改名，或选择只有一张图片的文件。</translation>
    </message>
    <message>
        <source>Written: {path}</source>
        <translation>已写入：{path}</translation>
    </message>
</context>
<context>
    <name>Exporting</name>
    <message numerus="yes">
        <source>%n picture(s) are not in the export: the service does not have them.</source>
        <translation>
            <numerusform>有 %n 张图片未导出：服务中没有这些图片。</numerusform>
        </translation>
    </message>
    <message>
        <source>COCO datasets of regions and findings</source>
        <translation>COCO 数据集：区域与发现</translation>
    </message>
    <message>
        <source>COCO datasets with their pictures</source>
        <translation>COCO 数据集，含图片</translation>
    </message>
    <message>
        <source>CSV table, one row for each finding</source>
        <translation>CSV 表格，每个发现一行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Export the inspection</source>
        <translation>导出检查</translation>
    </message>
    <message>
        <source>The file cannot be written: {why}. Choose another place.</source>
        <translation>无法写入文件：{why}。请选择其他位置。</translation>
    </message>
    <message>
        <source>Walkaround JSON, everything of the record</source>
        <translation>Walkaround JSON，记录的全部内容</translation>
    </message>
    <message>
        <source>Writing {file}…</source>
        <translation>正在写入 {file}…</translation>
    </message>
    <message>
        <source>YOLO datasets of regions and findings</source>
        <translation>YOLO 数据集：区域与发现</translation>
    </message>
    <message>
        <source>YOLO datasets with their pictures</source>
        <translation>YOLO 数据集，含图片</translation>
    </message>
    <message>
        <source>inspection</source>
        <translation>检查</translation>
    </message>
</context>
<context>
    <name>FaceCard</name>
    <message>
        <source>Agree first: tick the box above.</source>
        <translation>请先勾选上方的“我同意”。</translation>
    </message>
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
        <source>The program that enrolled you asked for your consent.</source>
        <translation>为您登记的程序已征得您的同意。</translation>
    </message>
    <message>
        <source>The stored features are deleted at once. You then log in by password.</source>
        <translation>保存的特征会立即删除，之后请用密码登录。</translation>
    </message>
    <message>
        <source>This service uses the built-in face model, which misses a person more often. Enrol at the camera with every picture; an administrator can install a better model.</source>
        <translation>本服务使用内置人脸模型，较容易认不出本人。请在摄像头前完成每一步拍摄；管理员可以安装更好的模型。</translation>
    </message>
    <message>
        <source>You agreed to text {version} on {time}.</source>
        <translation>您于 {time} 同意了第 {version} 版说明。</translation>
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
    <name>FaceSection</name>
    <message numerus="yes">
        <source>%n face template(s)</source>
        <translation>
            <numerusform>%n 个人脸模板</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n face(s) in photos</source>
        <translation>
            <numerusform>照片中有 %n 张人脸</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pair(s) of different people look alike enough to be taken for each other. Enrol these people anew in better light, or switch face login off.</source>
        <translation>
            <numerusform>有 %n 对不同的人相似到会被互认。请在更好的光线下为他们重新登记，或关闭人脸登录。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n person(s)</source>
        <translation>
            <numerusform>%n 人</numerusform>
        </translation>
    </message>
    <message>
        <source>A score is minus the distance of two faces: a higher one means more alike.</source>
        <translation>分数为两张人脸距离的负值：分数越高，越相似。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Canceled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Choose a folder with photos of people who are not enrolled</source>
        <translation>选择存有未登记人员照片的文件夹</translation>
    </message>
    <message>
        <source>Compare with photos of strangers…</source>
        <translation>与陌生人照片比对…</translation>
    </message>
    <message>
        <source>Different people</source>
        <translation>不同的人</translation>
    </message>
    <message>
        <source>Enrolled</source>
        <translation>已登记</translation>
    </message>
    <message>
        <source>Face login</source>
        <translation>人脸登录</translation>
    </message>
    <message>
        <source>Face login is off.</source>
        <translation>人脸登录已关闭。</translation>
    </message>
    <message>
        <source>Face login is on for everybody</source>
        <translation>所有人可用人脸登录</translation>
    </message>
    <message>
        <source>Face login is on.</source>
        <translation>人脸登录已开启。</translation>
    </message>
    <message>
        <source>Fewer than two people are enrolled, so nothing can be said yet about mixing them up. The threshold is the one that was measured for this model elsewhere.</source>
        <translation>登记的不足两人，还无法判断是否会认错人。所用阈值是这个模型在别处测得的。</translation>
    </message>
    <message>
        <source>From this score on, two pictures count as the same person.</source>
        <translation>达到这个分数，两张照片即视为同一人。</translation>
    </message>
    <message>
        <source>How well faces are told apart here</source>
        <translation>本系统区分人脸的能力</translation>
    </message>
    <message>
        <source>Looking for photos…</source>
        <translation>正在查找照片…</translation>
    </message>
    <message>
        <source>Measures how alike two faces are. A higher score means more alike.</source>
        <translation>衡量两张脸的相似程度，分数越高越相似。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>No face was found in these photos.</source>
        <translation>这些照片中没有找到人脸。</translation>
    </message>
    <message>
        <source>No two enrolled people are taken for each other. With 95 % confidence a stranger is taken for a given template in fewer than 1 of {n} comparisons.</source>
        <translation>已登记的人互不混淆。以 95 % 的置信度，陌生人被误认为某个模板的比对少于 {n} 次中的 1 次。</translation>
    </message>
    <message>
        <source>Several templates of a person let the glasses or the light change.</source>
        <translation>每人登记几个模板，眼镜或光线变化时也能认出。</translation>
    </message>
    <message>
        <source>Strangers</source>
        <translation>陌生人</translation>
    </message>
    <message>
        <source>The built-in model dlib is in use. An open pack recognizes people better and faster, and has a liveness check. On the service&apos;s machine: walkaround face download sface, then walkaround face use sface. Everybody enrols again after that.</source>
        <translation>当前使用内置模型 dlib。open 模型包识别更准、更快，并带活体检测。请在服务所在的计算机上运行：walkaround face download sface，然后 walkaround face use sface。之后所有人需要重新登记。</translation>
    </message>
    <message>
        <source>The exact upper bound (95 %) on how often different people are taken for one.</source>
        <translation>把不同的人认成同一人的比例的精确上限（95 %）。</translation>
    </message>
    <message>
        <source>The least alike two templates of one person. It should lie above the threshold.</source>
        <translation>同一人差别最大的两个模板，应高于阈值。</translation>
    </message>
    <message>
        <source>The more people are enrolled, the more exact this becomes.</source>
        <translation>登记的人越多，这个结论越精确。</translation>
    </message>
    <message>
        <source>The most alike two different people. It should lie well below the threshold.</source>
        <translation>最相像的两个不同的人，应明显低于阈值。</translation>
    </message>
    <message>
        <source>The same person</source>
        <translation>同一个人</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Together with the enrolled: {pairs} comparisons, of which with 95 % confidence at most {share} would take a stranger for a given template. Nothing of the photos is kept.</source>
        <translation>连同已登记的人共 {pairs} 次比对；以 95 % 的置信度，其中至多 {share} 会把陌生人误认为某个模板。照片不作任何保存。</translation>
    </message>
    <message>
        <source>While it is off, everybody logs in by password. Enrolled faces stay as they are.</source>
        <translation>关闭时所有人用密码登录，已登记的人脸保持不变。</translation>
    </message>
    <message>
        <source>Wrongly alike</source>
        <translation>误认</translation>
    </message>
    <message>
        <source>at least {score} in {pairs} pairs</source>
        <translation>{pairs} 对中最低 {score}</translation>
    </message>
    <message>
        <source>at most {score} in {pairs} pairs</source>
        <translation>{pairs} 对中最高 {score}</translation>
    </message>
    <message>
        <source>{done} of {total} photos</source>
        <translation>{done} / {total} 张照片</translation>
    </message>
    <message>
        <source>{faces}, {pairs} comparisons, {n} wrongly alike, at most {score}</source>
        <translation>{faces}，{pairs} 次比对，误认 {n} 次，最高 {score}</translation>
    </message>
    <message>
        <source>{n} pairs, at most {share} of all</source>
        <translation>{n} 对，占比不超过 {share}</translation>
    </message>
</context>
<context>
    <name>FieldsCard</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Choose the task that this record belongs to.</source>
        <translation>请选择这条检查记录所属的任务。</translation>
    </message>
    <message>
        <source>Copy the ID</source>
        <translation>复制编号</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Discard changes</source>
        <translation>放弃更改</translation>
    </message>
    <message>
        <source>Enter day and time as {example}.</source>
        <translation>请按 {example} 的格式填写日期和时间。</translation>
    </message>
    <message>
        <source>Executor</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>API status</source>
        <translation>接口状态</translation>
    </message>
    <message>
        <source>End time</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Task (or the id of another system)</source>
        <translation>任务（或其他系统的编号）</translation>
    </message>
    <message>
        <source>There is none of this name. Choose one of the list, or leave it empty.</source>
        <translation>没有这个名称。请从列表中选择，或留空。</translation>
    </message>
    <message>
        <source>Updated</source>
        <translation>更新时间</translation>
    </message>
    <message>
        <source>Verdicts</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>What other programs see: it follows from every result, a model&apos;s too, and they can set it.</source>
        <translation>其他程序看到的状态：根据所有结果（包括模型结果）得出，也可由其他程序设置。</translation>
    </message>
    <message>
        <source>YYYY-MM-DD</source>
        <translation>年-月-日</translation>
    </message>
</context>
<context>
    <name>FileDialogs</name>
    <message>
        <source>Pictures ({patterns})</source>
        <translation>图片 ({patterns})</translation>
    </message>
</context>
<context>
    <name>Filters</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Any aircraft</source>
        <translation>全部飞机</translation>
    </message>
    <message>
        <source>Any executor</source>
        <translation>任意执行人</translation>
    </message>
    <message>
        <source>Any image</source>
        <translation>全部参考图</translation>
    </message>
    <message>
        <source>Any state</source>
        <translation>全部状态</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Executor</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Name, aircraft, executor</source>
        <translation>名称、飞机、执行人</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Start time</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Started any time</source>
        <translation>开始时间不限</translation>
    </message>
    <message>
        <source>Started since {first}</source>
        <translation>{first} 起开始</translation>
    </message>
    <message>
        <source>Started until {last}</source>
        <translation>{last} 前开始</translation>
    </message>
    <message>
        <source>Started {first} to {last}</source>
        <translation>开始时间 {first} 至 {last}</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>Finding</name>
    <message>
        <source>Compares the photo with the region of the reference image; needs no training</source>
        <translation>将照片与参考图上的区域对齐后比较，无需训练</translation>
    </message>
    <message>
        <source>Reference difference</source>
        <translation>参考差分</translation>
    </message>
    <message>
        <source>added</source>
        <translation>多出</translation>
    </message>
    <message>
        <source>crack</source>
        <translation>裂纹</translation>
    </message>
    <message>
        <source>critical</source>
        <translation>严重</translation>
    </message>
    <message>
        <source>dent</source>
        <translation>凹坑</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>major</source>
        <translation>较重</translation>
    </message>
    <message>
        <source>minor</source>
        <translation>轻微</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>scratch</source>
        <translation>划痕</translation>
    </message>
    <message>
        <source>stain</source>
        <translation>污渍</translation>
    </message>
</context>
<context>
    <name>FindingList</name>
    <message>
        <source>Click the square to accept · double click to relabel</source>
        <translation>点方块确认 · 双击改标签</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>已确认</translation>
    </message>
    <message>
        <source>drawn by hand</source>
        <translation>手工绘制</translation>
    </message>
</context>
<context>
    <name>FindingsBox</name>
    <message numerus="yes">
        <source>%n finding(s) below the slider; reports contain all</source>
        <translation>
            <numerusform>滑块以下还有 %n 处发现；报告包含全部</numerusform>
        </translation>
    </message>
    <message>
        <source>Confidence ≥ {value}</source>
        <translation>置信度 ≥ {value}</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>Least confidence of findings</source>
        <translation>发现的最低置信度</translation>
    </message>
</context>
<context>
    <name>FinishDialog</name>
    <message numerus="yes">
        <source>%n item(s) failed.</source>
        <translation>
            <numerusform>%n 个检查项未通过。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) have no opinion to accept. Decide them first.</source>
        <translation>
            <numerusform>%n 个检查项没有可采纳的模型意见，请先逐项判定。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) have no verdict of a person.</source>
        <translation>
            <numerusform>%n 个检查项尚未人工判定。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Accept the model&apos;s opinion for the remaining %n item(s)</source>
        <translation>
            <numerusform>对剩余 %n 个检查项采纳模型意见</numerusform>
        </translation>
    </message>
    <message>
        <source>All items passed.</source>
        <translation>全部检查项已通过。</translation>
    </message>
    <message>
        <source>Each is signed by {name} and marked in the record and the report.</source>
        <translation>每一项均由 {name} 签署，并在记录和报告中注明。</translation>
    </message>
    <message>
        <source>Finish record</source>
        <translation>完成记录</translation>
    </message>
    <message>
        <source>Finish the record?</source>
        <translation>完成此检查记录？</translation>
    </message>
    <message>
        <source>Finishing seals the record. To change it later, reopen it with a reason.</source>
        <translation>完成后记录即被封存。如需修改，须填写原因重新打开。</translation>
    </message>
    <message>
        <source>Go to the first item to decide</source>
        <translation>转到第一个需要判定的检查项</translation>
    </message>
    <message>
        <source>Go to the first undecided item</source>
        <translation>转到第一个未判定的检查项</translation>
    </message>
    <message>
        <source>Outcome: {outcome} ({counted})</source>
        <translation>结论：{outcome}（{counted}）</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>model: failed</source>
        <translation>模型：未通过</translation>
    </message>
    <message>
        <source>model: passed</source>
        <translation>模型：通过</translation>
    </message>
    <message>
        <source>no opinion to accept</source>
        <translation>无可采纳的意见</translation>
    </message>
</context>
<context>
    <name>Finishing</name>
    <message>
        <source>The record has no items. Draw a region first.</source>
        <translation>记录没有条目，请先画出区域。</translation>
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
    <name>FlightForm</name>
    <message>
        <source>A flight needs a number.</source>
        <translation>请填写航班号。</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Enter day and time as {example}.</source>
        <translation>请按 {example} 的格式填写日期和时间。</translation>
    </message>
    <message>
        <source>Flight number</source>
        <translation>航班号</translation>
    </message>
    <message>
        <source>From</source>
        <translation>出发地</translation>
    </message>
    <message>
        <source>Scheduled (this machine&apos;s clock)</source>
        <translation>计划时间（本机时间）</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到达地</translation>
    </message>
    <message>
        <source>YYYY-MM-DD</source>
        <translation>年-月-日</translation>
    </message>
</context>
<context>
    <name>FlightSection</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改时间</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>From</source>
        <translation>出发地</translation>
    </message>
    <message>
        <source>No flights yet. Tasks are done for a flight or an aircraft.</source>
        <translation>还没有航班。任务要针对航班或飞机来做。</translation>
    </message>
    <message>
        <source>Scheduled</source>
        <translation>计划时间</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到达地</translation>
    </message>
</context>
<context>
    <name>Form</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close without saving</source>
        <translation>不保存并关闭</translation>
    </message>
    <message>
        <source>Close without saving?</source>
        <translation>不保存就关闭吗？</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>正在保存…</translation>
    </message>
    <message>
        <source>What you entered here is not saved.</source>
        <translation>这里填写的内容还没有保存。</translation>
    </message>
</context>
<context>
    <name>HistoryBox</name>
    <message>
        <source>Compare the photo of this inspection</source>
        <translation>对比这次检查的照片</translation>
    </message>
    <message>
        <source>Earlier inspections</source>
        <translation>历次检查</translation>
    </message>
    <message>
        <source>Found by {name}</source>
        <translation>由{name}发现</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>无发现</translation>
    </message>
    <message>
        <source>Show all {n}</source>
        <translation>显示全部 {n} 次</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>decided by {name}</source>
        <translation>由{name}判定</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>消失</translation>
    </message>
    <message>
        <source>grown</source>
        <translation>增长</translation>
    </message>
    <message>
        <source>new since then</source>
        <translation>此后新出现</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>无变化</translation>
    </message>
</context>
<context>
    <name>Importing</name>
    <message>
        <source>Importing the regions…</source>
        <translation>正在导入区域…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Choose an item in the list or on the picture.</source>
        <translation>请在列表或图片上选择一个条目。</translation>
    </message>
    <message>
        <source>Not detected yet.</source>
        <translation>尚未检测。</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>没有发现。</translation>
    </message>
    <message>
        <source>This record has no items yet. What is drawn or taken over is shown here.</source>
        <translation>这条记录还没有条目。画出或沿用的条目会显示在这里。</translation>
    </message>
</context>
<context>
    <name>ItemDelegate</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 处发现</numerusform>
        </translation>
    </message>
    <message>
        <source>Detecting {percent} %</source>
        <translation>检测中 {percent} %</translation>
    </message>
    <message>
        <source>Detection cancelled</source>
        <translation>检测已取消</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>未选模型</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
</context>
<context>
    <name>ItemFields</name>
    <message>
        <source>Add a description</source>
        <translation>添加说明</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Detection model</source>
        <translation>检测模型</translation>
    </message>
    <message>
        <source>Item {n}</source>
        <translation>条目 {n}</translation>
    </message>
    <message>
        <source>Name of the item</source>
        <translation>条目名称</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>未选模型</translation>
    </message>
</context>
<context>
    <name>ItemsCard</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 处发现</numerusform>
        </translation>
    </message>
    <message>
        <source>As in the last inspection</source>
        <translation>与上次检查相同</translation>
    </message>
    <message>
        <source>Choose its reference image first, then take over items or draw regions.</source>
        <translation>请先选择参考图，再沿用条目或画区域。</translation>
    </message>
    <message>
        <source>Detecting…</source>
        <translation>正在检测…</translation>
    </message>
    <message>
        <source>Detection failed</source>
        <translation>检测失败</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>From the template of the reference image</source>
        <translation>取自参考图的模板</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检测条目</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>No findings</source>
        <translation>无发现</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Take over those of its reference image, or draw regions in the workbench.</source>
        <translation>可以沿用参考图的条目，也可以在工作台里画区域。</translation>
    </message>
    <message>
        <source>This record has no items yet.</source>
        <translation>这条检查记录还没有条目。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
</context>
<context>
    <name>ItemsModel</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 处发现</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ItemsPanel</name>
    <message>
        <source>All {n}</source>
        <translation>全部 {n}</translation>
    </message>
    <message>
        <source>As in the last inspection</source>
        <translation>与上次检查相同</translation>
    </message>
    <message>
        <source>Detected {n} of {all}</source>
        <translation>已检测 {n} / {all}</translation>
    </message>
    <message>
        <source>Draw a finding</source>
        <translation>画发现</translation>
    </message>
    <message>
        <source>Draw a region</source>
        <translation>画新区域</translation>
    </message>
    <message>
        <source>Failed {n}</source>
        <translation>未通过 {n}</translation>
    </message>
    <message>
        <source>Filter the items</source>
        <translation>筛选条目</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检测条目</translation>
    </message>
    <message>
        <source>Judged items</source>
        <translation>已判定的条目</translation>
    </message>
    <message>
        <source>Judged {n} of {all}</source>
        <translation>已判定 {n} / {all}</translation>
    </message>
    <message>
        <source>Name or number</source>
        <translation>名称或序号</translation>
    </message>
    <message>
        <source>Next finding</source>
        <translation>下一发现</translation>
    </message>
    <message>
        <source>No item matches this filter.</source>
        <translation>没有符合筛选的条目。</translation>
    </message>
    <message>
        <source>No items yet. Press R and draw a region on the picture.</source>
        <translation>还没有条目。按 R 在图片上画出区域。</translation>
    </message>
    <message>
        <source>Regions are hidden on the picture</source>
        <translation>图上的区域已隐藏</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show all items</source>
        <translation>显示全部条目</translation>
    </message>
    <message>
        <source>Start with the template</source>
        <translation>套用模板</translation>
    </message>
    <message>
        <source>This record has no items.</source>
        <translation>这条记录没有条目。</translation>
    </message>
    <message>
        <source>Undecided {n}</source>
        <translation>待判定 {n}</translation>
    </message>
</context>
<context>
    <name>Keeping</name>
    <message numerus="yes">
        <source>%n region(s) kept as the template of {name}.</source>
        <translation>
            <numerusform>已将 %n 个区域保存为{name}的模板。</numerusform>
        </translation>
    </message>
    <message>
        <source>A template holds at most {n} regions.</source>
        <translation>一个模板最多 {n} 个区域。</translation>
    </message>
    <message>
        <source>Choose a reference image first: a template is kept with it.</source>
        <translation>请先选择参考图：模板随参考图保存。</translation>
    </message>
    <message numerus="yes">
        <source>It is replaced by the %n region(s) of this record.</source>
        <translation>
            <numerusform>将用本记录的 %n 个区域替换它。</numerusform>
        </translation>
    </message>
    <message>
        <source>Records that exist stay as they are.</source>
        <translation>已有的检查记录不受影响。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Replace the template?</source>
        <translation>替换模板吗？</translation>
    </message>
    <message>
        <source>The record has no regions. Draw one first.</source>
        <translation>检查记录还没有区域，请先画一个。</translation>
    </message>
    <message numerus="yes">
        <source>{name} has a template of %n region(s).</source>
        <translation>
            <numerusform>{name}已有 %n 个区域的模板。</numerusform>
        </translation>
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
    <name>KindForm</name>
    <message>
        <source>Add the model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Confidences by</source>
        <translation>置信度换算</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Kind of the model</source>
        <translation>模型类型</translation>
    </message>
    <message>
        <source>Sigmoid (RT-DETR, Deformable DETR and later)</source>
        <translation>Sigmoid（RT-DETR、Deformable DETR 及以后）</translation>
    </message>
    <message>
        <source>Softmax (DETR, with a class for nothing)</source>
        <translation>Softmax（DETR，含“无目标”类别）</translation>
    </message>
    <message>
        <source>The outputs of {name} can be read in several ways. Choose how it was exported.</source>
        <translation>{name} 的输出有几种读法，请选择导出时的类型。</translation>
    </message>
    <message>
        <source>{name} does not tell how its numbers for classes become confidences.</source>
        <translation>{name} 没有说明类别输出如何换算成置信度，请选择。</translation>
    </message>
</context>
<context>
    <name>LabelEditor</name>
    <message>
        <source>What the finding is</source>
        <translation>发现的类型</translation>
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
    <message numerus="yes">
        <source>%n photo(s) have not reached the service yet and are not kept for the next start.</source>
        <translation>
            <numerusform>%n 张照片尚未送达服务，关闭后不会保留到下次启动。</numerusform>
        </translation>
    </message>
    <message>
        <source>Chinese is chosen, but this computer has no font with Chinese characters, so the program speaks English. Install one (on Debian and Ubuntu the package {package}) and start Walkaround again.</source>
        <translation>已选择中文，但这台电脑没有中文字体，因此程序显示英文。请安装一种（Debian 和 Ubuntu 上的软件包 {package}），然后重新启动 Walkaround。</translation>
    </message>
    <message>
        <source>Close before the photos are sent?</source>
        <translation>照片尚未发送，仍要关闭吗？</translation>
    </message>
    <message>
        <source>Close without sending</source>
        <translation>不发送并关闭</translation>
    </message>
    <message>
        <source>The connection to the service was lost. It is being restored; go on working.</source>
        <translation>与服务的连接已断开，正在恢复，您可以继续工作。</translation>
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
    <name>Measuring</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Draw a line from one end of a known length to the other, then type its length.</source>
        <translation>沿一段已知长度画一条线，再输入它的长度。</translation>
    </message>
    <message>
        <source>Length in mm</source>
        <translation>长度（毫米）</translation>
    </message>
    <message>
        <source>Length of the line</source>
        <translation>线段长度</translation>
    </message>
    <message>
        <source>Measure the scale</source>
        <translation>测量比例</translation>
    </message>
    <message>
        <source>Opening the picture…</source>
        <translation>正在打开图片…</translation>
    </message>
    <message>
        <source>Use this scale</source>
        <translation>采用此比例</translation>
    </message>
    <message>
        <source>{n} px</source>
        <translation>{n} px</translation>
    </message>
    <message>
        <source>{scale} mm per pixel</source>
        <translation>每像素 {scale} 毫米</translation>
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
    <name>ModeButtons</name>
    <message>
        <source>Blink</source>
        <translation>闪烁</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Overlay</source>
        <translation>叠加</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并排</translation>
    </message>
    <message>
        <source>Swipe</source>
        <translation>滑动</translation>
    </message>
</context>
<context>
    <name>ModelForm</name>
    <message>
        <source>0 to 1</source>
        <translation>0 到 1</translation>
    </message>
    <message>
        <source>0 to 255</source>
        <translation>0 到 255</translation>
    </message>
    <message>
        <source>A change on this side makes the next version. Results keep the one they were made with.</source>
        <translation>此侧的更改会生成下一个版本，已有结果仍保留其所用的版本。</translation>
    </message>
    <message>
        <source>A model needs a name.</source>
        <translation>请填写模型名称。</translation>
    </message>
    <message>
        <source>A photo fails from a confidence of</source>
        <translation>置信度达到此值时照片不通过</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>添加时间</translation>
    </message>
    <message>
        <source>Added by</source>
        <translation>添加人</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Disabled</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Hash (SHA-256)</source>
        <translation>哈希 (SHA-256)</translation>
    </message>
    <message>
        <source>ImageNet&apos;s scale</source>
        <translation>ImageNet 归一化</translation>
    </message>
    <message>
        <source>Input size</source>
        <translation>输入尺寸</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Order of colours</source>
        <translation>颜色顺序</translation>
    </message>
    <message>
        <source>Photo in the input</source>
        <translation>照片放入方式</translation>
    </message>
    <message>
        <source>Pixel values</source>
        <translation>像素值</translation>
    </message>
    <message>
        <source>Show findings from a confidence of</source>
        <translation>显示置信度不低于此值的发现</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Two classes are called {name}. Give each its own name.</source>
        <translation>有两个类别都叫{name}。请分别命名。</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>in the corner, with a border</source>
        <translation>靠左上角，右下补边</translation>
    </message>
    <message>
        <source>in the middle, with a border</source>
        <translation>居中，四周补边</translation>
    </message>
    <message>
        <source>somebody who is not known any more</source>
        <translation>已不存在的用户</translation>
    </message>
    <message>
        <source>stretched</source>
        <translation>拉伸</translation>
    </message>
</context>
<context>
    <name>ModelSection</name>
    <message>
        <source>Add a detection model</source>
        <translation>添加检测模型</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>添加时间</translation>
    </message>
    <message>
        <source>Disable</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Disabled</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Enable</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>ONNX models (*.onnx)</source>
        <translation>ONNX 模型 (*.onnx)</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>{name} is disabled.</source>
        <translation>已停用{name}。</translation>
    </message>
    <message>
        <source>{name} is enabled.</source>
        <translation>已启用{name}。</translation>
    </message>
</context>
<context>
    <name>MomentField</name>
    <message>
        <source>Calendar</source>
        <translation>日历</translation>
    </message>
    <message>
        <source>Pick the day of “{name}” from a calendar</source>
        <translation>从日历选择“{name}”的日期</translation>
    </message>
</context>
<context>
    <name>Moments</name>
    <message>
        <source>HH:mm</source>
        <comment>a time of day, in the letters of QTime</comment>
        <translation>HH:mm</translation>
    </message>
    <message>
        <source>today {clock}</source>
        <translation>今天 {clock}</translation>
    </message>
    <message>
        <source>yesterday {clock}</source>
        <translation>昨天 {clock}</translation>
    </message>
    <message>
        <source>yyyy-MM-dd</source>
        <comment>a day, in the letters of QDate</comment>
        <translation>yyyy-MM-dd</translation>
    </message>
    <message>
        <source>yyyy-MM-dd HH:mm</source>
        <comment>a minute, in the letters of QDateTime</comment>
        <translation>yyyy-MM-dd HH:mm</translation>
    </message>
    <message>
        <source>yyyy-MM-dd HH:mm:ss</source>
        <comment>in the letters of QDateTime</comment>
        <translation>yyyy-MM-dd HH:mm:ss</translation>
    </message>
</context>
<context>
    <name>NewRecord</name>
    <message>
        <source>As in the last inspection of it, {time}</source>
        <translation>与上次检查相同（{time}）</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Choose one, or type a part of its name</source>
        <translation>选择一项，或输入名称的一部分</translation>
    </message>
    <message>
        <source>Choose the task that this record belongs to.</source>
        <translation>请选择记录所属的任务。</translation>
    </message>
    <message numerus="yes">
        <source>From the template of the reference image, %n region(s)</source>
        <translation>
            <numerusform>取自参考图的模板，%n 个区域</numerusform>
        </translation>
    </message>
    <message>
        <source>Items</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Left wing root, after flight</source>
        <translation>左翼根部航后检查</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>New record</source>
        <translation>新建记录</translation>
    </message>
    <message>
        <source>None yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>Open the catalogue</source>
        <translation>打开目录</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Start the record</source>
        <translation>开始记录</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Task (choose one, or type the id of another system)</source>
        <translation>任务（可选择，或输入外部系统的任务编号）</translation>
    </message>
    <message>
        <source>There is no reference image yet. Add one in the catalogue, or start without.</source>
        <translation>还没有参考图。请先在目录中添加，也可以不选参考图直接开始。</translation>
    </message>
    <message>
        <source>There is no task yet. Make one in the catalogue, or type the id of another system.</source>
        <translation>还没有任务。请先在目录中新建，或输入其他系统的编号。</translation>
    </message>
    <message>
        <source>There is none of this name. Choose one of the list, or leave it empty.</source>
        <translation>没有这个名称。请从列表中选择，或留空。</translation>
    </message>
</context>
<context>
    <name>NewUser</name>
    <message>
        <source>Enter a user name.</source>
        <translation>请输入用户名。</translation>
    </message>
    <message>
        <source>Name (may stay empty)</source>
        <translation>姓名（可留空）</translation>
    </message>
    <message>
        <source>User name</source>
        <translation>用户名</translation>
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
    <name>Notices</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>OwnDetection</name>
    <message>
        <source>An ignored area lies inside the region of its item. Draw it there.</source>
        <translation>忽略区域必须在条目的区域之内，请在其中绘制。</translation>
    </message>
    <message>
        <source>This item has no region. Draw one first.</source>
        <translation>该条目还没有区域，请先画一个。</translation>
    </message>
</context>
<context>
    <name>OwnFile</name>
    <message>
        <source>Mark on the reference image</source>
        <translation>标记到参考图上</translation>
    </message>
    <message numerus="yes">
        <source>Not on the reference image of the record: %n item(s), this one on {name}.</source>
        <translation>
            <numerusform>有 %n 个条目不在本记录的参考图上，此条目在 {name} 上。</numerusform>
        </translation>
    </message>
    <message>
        <source>This item is marked on a picture of its own: {name}.</source>
        <translation>此条目标记在自己的图片上：{name}。</translation>
    </message>
</context>
<context>
    <name>OwnSettingsBox</name>
    <message>
        <source>Area {n}: {size}</source>
        <translation>区域 {n}：{size}</translation>
    </message>
    <message>
        <source>As the model</source>
        <translation>与模型相同</translation>
    </message>
    <message>
        <source>Detection: as the model</source>
        <translation>检测：与模型相同</translation>
    </message>
    <message>
        <source>Detection: set for this item</source>
        <translation>检测：本条目单独设置</translation>
    </message>
    <message>
        <source>Do not ignore area {n} any more</source>
        <translation>不再忽略区域 {n}</translation>
    </message>
    <message>
        <source>Ignore an area</source>
        <translation>忽略一个区域</translation>
    </message>
    <message>
        <source>Ignored areas</source>
        <translation>忽略区域</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>灵敏度</translation>
    </message>
    <message>
        <source>Smallest defect</source>
        <translation>最小缺陷</translation>
    </message>
    <message>
        <source>These settings cannot be read. Set them anew, or take those of the model.</source>
        <translation>无法读取这些设置。请重新设置，或采用模型的设置。</translation>
    </message>
    <message>
        <source>high</source>
        <translation>高</translation>
    </message>
    <message>
        <source>low</source>
        <translation>低</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>中</translation>
    </message>
    <message>
        <source>very high</source>
        <translation>很高</translation>
    </message>
    <message>
        <source>very low</source>
        <translation>很低</translation>
    </message>
    <message>
        <source>{word}, as the model</source>
        <translation>{word}，与模型相同</translation>
    </message>
</context>
<context>
    <name>Pager</name>
    <message numerus="yes">
        <source>%n in all</source>
        <translation>
            <numerusform>共 %n 条</numerusform>
        </translation>
    </message>
    <message>
        <source>Entries per page</source>
        <translation>每页条数</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>Page {page}</source>
        <translation>第 {page} 页</translation>
    </message>
    <message>
        <source>Page {page} of {pages}</source>
        <translation>第 {page} 页，共 {pages} 页</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>{n} per page</source>
        <translation>每页 {n} 条</translation>
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
    <name>PasswordAgain</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Changes of this kind need a password login of the last ten minutes. What you entered stays.</source>
        <translation>这类更改要求十分钟内用密码登录过。您填写的内容不会丢失。</translation>
    </message>
    <message>
        <source>Enter your password.</source>
        <translation>请输入密码。</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Your password</source>
        <translation>您的密码</translation>
    </message>
    <message>
        <source>Your password, please</source>
        <translation>请输入您的密码</translation>
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
    <name>People</name>
    <message>
        <source>Administrator</source>
        <translation>管理员</translation>
    </message>
    <message>
        <source>Everything, also users, models and settings</source>
        <translation>全部权限，包括用户、模型和设置</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查员</translation>
    </message>
    <message>
        <source>Looks at records and the catalogue</source>
        <translation>查看检查记录和目录</translation>
    </message>
    <message>
        <source>Make the user</source>
        <translation>创建用户</translation>
    </message>
    <message>
        <source>Makes and works on records</source>
        <translation>新建并填写检查记录</translation>
    </message>
    <message>
        <source>Name, user name</source>
        <translation>姓名、用户名</translation>
    </message>
    <message>
        <source>New password for {name}</source>
        <translation>为{name}设置新密码</translation>
    </message>
    <message>
        <source>New user</source>
        <translation>新建用户</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>计划员</translation>
    </message>
    <message>
        <source>Set the password</source>
        <translation>设置密码</translation>
    </message>
    <message>
        <source>The catalogue and records, also deleting records</source>
        <translation>管理目录和检查记录，可以删除记录</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation>查看者</translation>
    </message>
</context>
<context>
    <name>PeoplePage</name>
    <message>
        <source>Audit log</source>
        <translation>审计日志</translation>
    </message>
    <message>
        <source>Face login</source>
        <translation>人脸登录</translation>
    </message>
    <message>
        <source>People</source>
        <translation>人员</translation>
    </message>
    <message>
        <source>Sections of the page</source>
        <translation>页面的分类</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Who may log in, what was done, and by whom</source>
        <translation>谁可以登录，谁做了什么</translation>
    </message>
</context>
<context>
    <name>PhotoBox</name>
    <message>
        <source>Align by three points</source>
        <translation>三点对齐</translation>
    </message>
    <message>
        <source>Aligned by three points</source>
        <translation>已三点对齐</translation>
    </message>
    <message>
        <source>Aligned to {px} px · {n} inliers</source>
        <translation>对齐 {px} px · {n} 内点</translation>
    </message>
    <message>
        <source>Cancel the upload</source>
        <translation>取消上传</translation>
    </message>
    <message>
        <source>Compare two versions…</source>
        <translation>比较两个版本…</translation>
    </message>
    <message>
        <source>Reference / today&apos;s photo</source>
        <translation>参考 / 今日照片</translation>
    </message>
    <message>
        <source>Take the three points back</source>
        <translation>取消三点对齐</translation>
    </message>
    <message>
        <source>Uploading the photo</source>
        <translation>正在上传照片</translation>
    </message>
    <message>
        <source>Version {n} / {all}</source>
        <translation>版本 {n} / {all}</translation>
    </message>
</context>
<context>
    <name>PhotoCanvas</name>
    <message>
        <source>Photo with findings</source>
        <translation>带发现的照片</translation>
    </message>
</context>
<context>
    <name>PhotoStrip</name>
    <message>
        <source>Photos of the item</source>
        <translation>条目的照片</translation>
    </message>
    <message numerus="yes">
        <source>Show all %n photo(s)</source>
        <translation>
            <numerusform>显示全部 %n 张照片</numerusform>
        </translation>
    </message>
    <message>
        <source>Show fewer photos</source>
        <translation>收起照片</translation>
    </message>
</context>
<context>
    <name>PhotoView</name>
    <message>
        <source>Choose a reference image first.</source>
        <translation>请先选择参考图。</translation>
    </message>
    <message>
        <source>Draw a finding</source>
        <translation>画发现</translation>
    </message>
    <message>
        <source>Fetching the photo… {n} %</source>
        <translation>正在下载照片… {n} %</translation>
    </message>
    <message>
        <source>No photo yet. Add one, take one, or drop it here.</source>
        <translation>还没有照片。可以添加、拍摄，或拖到这里。</translation>
    </message>
    <message>
        <source>Opening the photo…</source>
        <translation>正在打开照片…</translation>
    </message>
    <message>
        <source>Run detection on this photo first. Findings are then drawn and corrected here.</source>
        <translation>请先对这张照片运行检测，之后即可在这里画出和修正发现。</translation>
    </message>
    <message>
        <source>This item has no photo to show yet. Add one, or take one.</source>
        <translation>此条目还没有可显示的照片。请添加或拍摄一张。</translation>
    </message>
</context>
<context>
    <name>Photos</name>
    <message>
        <source>Fetching the photo… {n} %</source>
        <translation>正在下载照片… {n} %</translation>
    </message>
    <message>
        <source>No photo yet. Add one, take one, or drop it here.</source>
        <translation>还没有照片。可以添加、拍摄，或拖到这里。</translation>
    </message>
    <message>
        <source>Take off</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Take the photo off?</source>
        <translation>移除这张照片？</translation>
    </message>
    <message>
        <source>The photo leaves this item. Results that were found in it stay.</source>
        <translation>照片将从该条目移除，已有的检测结果保留。</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>Opening the picture…</source>
        <translation>正在打开图片…</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>图片</translation>
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
    <name>QAbstractFileIconProvider</name>
    <message>
        <source>File Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>查找范围(&amp;L)：</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>文件类型(&amp;T)：</translation>
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
    <name>RecordDeleting</name>
    <message>
        <source>API status</source>
        <translation>接口状态</translation>
    </message>
    <message>
        <source>Changed meanwhile ({time}):</source>
        <translation>在此期间已被修改（{time}）：</translation>
    </message>
    <message>
        <source>Changed meanwhile, by hand last by {name} ({time}):</source>
        <translation>在此期间已被修改，最后手动修改的人是{name}（{time}）：</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete all the same</source>
        <translation>仍然删除</translation>
    </message>
    <message>
        <source>Delete the record?</source>
        <translation>删除这条记录？</translation>
    </message>
    <message>
        <source>Delete {name} all the same?</source>
        <translation>仍要删除{name}吗？</translation>
    </message>
    <message>
        <source>End time</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Executor</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Start time</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>this record</source>
        <translation>这条记录</translation>
    </message>
    <message>
        <source>{name} and all its items, photos and results will be gone for good.</source>
        <translation>{name}及其全部条目、照片和结果将被永久删除。</translation>
    </message>
</context>
<context>
    <name>RecordPage</name>
    <message>
        <source>As HTML</source>
        <translation>HTML 报告</translation>
    </message>
    <message>
        <source>Cancel the record</source>
        <translation>取消检查记录</translation>
    </message>
    <message>
        <source>Cancel this record?</source>
        <translation>取消这条检查记录吗？</translation>
    </message>
    <message>
        <source>Go to the records</source>
        <translation>前往检查记录</translation>
    </message>
    <message>
        <source>It stays with all its items, and can be reopened.</source>
        <translation>记录和全部条目都会保留，可以重新打开。</translation>
    </message>
    <message>
        <source>Leave without saving</source>
        <translation>不保存并离开</translation>
    </message>
    <message>
        <source>Leave without saving?</source>
        <translation>不保存就离开吗？</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>No record is open.</source>
        <translation>没有打开的检查记录。</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open the workbench</source>
        <translation>打开工作台</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Records</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Report as PDF</source>
        <translation>PDF 报告</translation>
    </message>
    <message>
        <source>The record is deleted.</source>
        <translation>检查记录已删除。</translation>
    </message>
    <message>
        <source>The record is saved.</source>
        <translation>检查记录已保存。</translation>
    </message>
    <message>
        <source>The report is written: {file}</source>
        <translation>报告已生成：{file}</translation>
    </message>
    <message>
        <source>There is no earlier inspection with items of this reference image.</source>
        <translation>这张参考图没有带条目的历史检查。</translation>
    </message>
    <message>
        <source>This record is no longer there.</source>
        <translation>这条检查记录已不存在。</translation>
    </message>
    <message>
        <source>What you changed here is not saved yet.</source>
        <translation>这里的更改还没有保存。</translation>
    </message>
    <message>
        <source>Without a name</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Written: {file}</source>
        <translation>已写入：{file}</translation>
    </message>
</context>
<context>
    <name>RecordPhotos</name>
    <message>
        <source>A result or a verdict of these items rests on it: {names}. They stay as they are.</source>
        <translation>以下条目的检测结果或结论依据这张照片：{names}。结果和结论保持不变。</translation>
    </message>
    <message>
        <source>Add photos to the record</source>
        <translation>向检查记录添加照片</translation>
    </message>
    <message>
        <source>Being matched…</source>
        <translation>正在匹配…</translation>
    </message>
    <message>
        <source>In other photos</source>
        <translation>其他照片也拍到</translation>
    </message>
    <message>
        <source>It could not be matched: {why}</source>
        <translation>无法匹配：{why}</translation>
    </message>
    <message>
        <source>Matches nothing</source>
        <translation>未匹配到区域</translation>
    </message>
    <message>
        <source>No region was found in this photo: it may show another part, or too little of this one. Assign it by hand, or remove it.</source>
        <translation>照片中没有找到任何区域：可能拍的是其他部位，或只拍到一小部分。请手动分配，或移除它。</translation>
    </message>
    <message>
        <source>Not matched</source>
        <translation>匹配失败</translation>
    </message>
    <message>
        <source>Other photos show the same regions at least as well. Assign this one by hand if you want it.</source>
        <translation>其他照片把同样的区域拍得一样清楚或更清楚。如要使用这张，请手动分配。</translation>
    </message>
    <message>
        <source>Photo</source>
        <translation>照片</translation>
    </message>
    <message numerus="yes">
        <source>Photo of %n item(s)</source>
        <translation>
            <numerusform>用于 %n 个条目</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message numerus="yes">
        <source>Remove %n photo(s) from the record?</source>
        <translation>
            <numerusform>从检查记录移除 %n 张照片？</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove {photo} all the same?</source>
        <translation>仍要移除 {photo}？</translation>
    </message>
    <message>
        <source>Results that were found in it stay.</source>
        <translation>已有的检测结果保留。</translation>
    </message>
    <message numerus="yes">
        <source>Shows %n item(s)</source>
        <translation>
            <numerusform>拍到 %n 个条目</numerusform>
        </translation>
    </message>
    <message>
        <source>The photo of {names}.</source>
        <translation>{names} 的照片。</translation>
    </message>
    <message numerus="yes">
        <source>The photo shows the regions of %n item(s). Accept it, or choose others.</source>
        <translation>
            <numerusform>照片拍到了 %n 个条目的区域。请接受，或改选其他条目。</numerusform>
        </translation>
    </message>
    <message>
        <source>The record has no regions yet. The photo is matched as soon as there are some.</source>
        <translation>检查记录还没有区域。有了区域后会自动匹配这张照片。</translation>
    </message>
    <message>
        <source>The regions that it shows are being looked for.</source>
        <translation>正在查找照片中的区域。</translation>
    </message>
    <message>
        <source>These items lose it: {names}.</source>
        <translation>以下条目将失去这张照片：{names}。</translation>
    </message>
    <message>
        <source>Waits for regions</source>
        <translation>等待区域</translation>
    </message>
    <message>
        <source>photo</source>
        <translation>照片</translation>
    </message>
    <message numerus="yes">
        <source>{names} and %n more</source>
        <translation>
            <numerusform>{names}，另有 %n 个</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Records</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Executor</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Judged</source>
        <translation>判定进度</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Updated</source>
        <translation>更新时间</translation>
    </message>
    <message>
        <source>Without a name</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>no reference image</source>
        <translation>无参考图</translation>
    </message>
</context>
<context>
    <name>RecordsPage</name>
    <message numerus="yes">
        <source>%n record(s)</source>
        <translation>
            <numerusform>共 %n 条记录</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n record(s) written.</source>
        <translation>
            <numerusform>已导出 %n 条记录。</numerusform>
        </translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>Clear the filters</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Detect what waits</source>
        <translation>检测待检测项</translation>
    </message>
    <message>
        <source>Detected items</source>
        <translation>已检测条目</translation>
    </message>
    <message>
        <source>Edition</source>
        <translation>版次</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export the list</source>
        <translation>导出列表</translation>
    </message>
    <message>
        <source>Finished at</source>
        <translation>完成时间</translation>
    </message>
    <message>
        <source>Finished by</source>
        <translation>完成人</translation>
    </message>
    <message>
        <source>Inspection records</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检测条目</translation>
    </message>
    <message>
        <source>Judged items</source>
        <translation>已判定条目</translation>
    </message>
    <message>
        <source>New record</source>
        <translation>新建记录</translation>
    </message>
    <message>
        <source>No record matches.</source>
        <translation>没有符合条件的记录。</translation>
    </message>
    <message>
        <source>No records yet.</source>
        <translation>还没有记录。</translation>
    </message>
    <message>
        <source>No records yet. Start with one.</source>
        <translation>还没有记录，先新建一条。</translation>
    </message>
    <message>
        <source>Records</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Released at</source>
        <translation>放行时间</translation>
    </message>
    <message>
        <source>Released by</source>
        <translation>放行人</translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>封签</translation>
    </message>
    <message>
        <source>Seal state</source>
        <translation>封存状态</translation>
    </message>
</context>
<context>
    <name>Recovered</name>
    <message>
        <source>Discard them</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Keep and send them</source>
        <translation>保留并发送</translation>
    </message>
    <message numerus="yes">
        <source>The program ended unexpectedly. %n edit(s) were not sent; they are kept.</source>
        <translation>
            <numerusform>程序上次意外结束，有 %n 处修改尚未发送，已保留。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReferenceChoice</name>
    <message>
        <source>Choose one, or type a part of its name</source>
        <translation>选择一项，或输入名称的一部分</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>There is no reference image of this name. Choose one of the list.</source>
        <translation>没有这个名称的参考图。请从列表中选择。</translation>
    </message>
    <message>
        <source>This record has no reference image.</source>
        <translation>这条记录没有参考图。</translation>
    </message>
    <message>
        <source>This record has no reference image. Choose the picture on which to draw the regions.</source>
        <translation>这条记录没有参考图。请选择用来画区域的图片。</translation>
    </message>
    <message>
        <source>Upload a picture…</source>
        <translation>上传图片…</translation>
    </message>
    <message>
        <source>Upload a reference image</source>
        <translation>上传参考图</translation>
    </message>
    <message>
        <source>Uploading the picture</source>
        <translation>正在上传图片</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
</context>
<context>
    <name>ReferenceForm</name>
    <message>
        <source>A number above 0 and up to 1000, for example 0.42.</source>
        <translation>请填写大于 0、不超过 1000 的数，例如 0.42。</translation>
    </message>
    <message>
        <source>A reference image needs a name.</source>
        <translation>请填写参考图名称。</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Measure it on the picture…</source>
        <translation>在图上测量…</translation>
    </message>
    <message>
        <source>Millimetres per pixel</source>
        <translation>毫米/像素</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>With millimetres per pixel the workbench measures in mm: the length of a known part in mm, divided by its length in pixels of this image.</source>
        <translation>填写后工作台按毫米测量：用一个已知部件的毫米长度，除以它在这张图上的像素长度。</translation>
    </message>
</context>
<context>
    <name>ReferencePicture</name>
    <message>
        <source>Fetching the picture… {n} %</source>
        <translation>正在下载图片… {n} %</translation>
    </message>
    <message>
        <source>Opening the picture…</source>
        <translation>正在打开图片…</translation>
    </message>
</context>
<context>
    <name>ReferenceSection</name>
    <message>
        <source>Add reference images</source>
        <translation>添加参考图</translation>
    </message>
    <message>
        <source>No reference images yet. Add pictures that show how it should look, or drop them here.</source>
        <translation>还没有参考图。请添加显示正常状态的图片，或把图片拖到这里。</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>{name} is added.</source>
        <translation>已添加{name}。</translation>
    </message>
</context>
<context>
    <name>RegionsPreview</name>
    <message>
        <source>Fetching the photo… {n} %</source>
        <translation>正在获取照片… {n} %</translation>
    </message>
</context>
<context>
    <name>ReopenDialog</name>
    <message>
        <source>It can be changed again. The sealed edition stays readable, and finishing makes a new one.</source>
        <translation>记录将可再次修改。已封存的版本仍可查看，再次完成时生成新版本。</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Reopen record</source>
        <translation>重新打开</translation>
    </message>
    <message>
        <source>Reopen the record?</source>
        <translation>重新打开此记录？</translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message>
        <source>AWAITING RELEASE</source>
        <translation>待放行</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Check with: {command}</source>
        <translation>验证命令：{command}</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>DRAFT</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>Edition {n}, seal {seal}…</source>
        <translation>第 {n} 版，封存码 {seal}…</translation>
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
        <source>API status</source>
        <translation>接口状态</translation>
    </message>
    <message>
        <source>End time</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Finished by {name}, {time}, edition {n}</source>
        <translation>由 {name} 于 {time} 完成，第 {n} 版</translation>
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
        <source>Items judged</source>
        <translation>已判定</translation>
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
        <source>Outcome</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Page {number} of {total}</source>
        <translation>第 {number} 页，共 {total} 页</translation>
    </message>
    <message>
        <source>Part of Walkaround {version}</source>
        <translation>随绕机检查工作站 {version} 提供</translation>
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
        <source>REOPENED</source>
        <translation>已重新打开</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Reference file of item {number}</source>
        <translation>条目 {number} 的参考文件</translation>
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
        <source>Released by {name}, {time}</source>
        <translation>由 {name} 于 {time} 放行</translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>封存</translation>
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
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Superseded by edition {n}</source>
        <translation>已被第 {n} 版取代</translation>
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
        <source>Waiting for a second person to release it</source>
        <translation>等待另一人放行</translation>
    </message>
    <message>
        <source>{judged} of {items}</source>
        <translation>{judged} / {items}</translation>
    </message>
    <message>
        <source>{label}, drawn by {person}</source>
        <translation>{label}，由{person}绘制</translation>
    </message>
    <message>
        <source>{verdict} by {person}, {time}</source>
        <translation>{verdict}，{person}，{time}</translation>
    </message>
    <message>
        <source>{verdict}: model&apos;s opinion accepted by {person}, {time}</source>
        <translation>{verdict}：{person} 于 {time} 采纳模型意见</translation>
    </message>
</context>
<context>
    <name>ReportFile</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>The report could not be written: {why}</source>
        <translation>报告无法写入：{why}</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
    <message>
        <source>Write the report</source>
        <translation>生成报告</translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation>正在生成报告…</translation>
    </message>
</context>
<context>
    <name>Review</name>
    <message numerus="yes">
        <source>Accept for %n photo(s)</source>
        <translation>
            <numerusform>接受 %n 张照片</numerusform>
        </translation>
    </message>
    <message>
        <source>Accept the photo for an item first.</source>
        <translation>请先为条目接受这张照片。</translation>
    </message>
    <message>
        <source>Align by three points…</source>
        <translation>三点对齐…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close without accepting?</source>
        <translation>不接受就关闭？</translation>
    </message>
    <message>
        <source>Items of the photo</source>
        <translation>照片的条目</translation>
    </message>
    <message>
        <source>Photo of these items</source>
        <translation>用于以下条目</translation>
    </message>
    <message>
        <source>Photos of the record</source>
        <translation>检查记录的照片</translation>
    </message>
    <message>
        <source>Remove from the record…</source>
        <translation>从检查记录移除…</translation>
    </message>
    <message>
        <source>Search items</source>
        <translation>搜索条目</translation>
    </message>
    <message>
        <source>The items that you changed by hand are not assigned yet.</source>
        <translation>手动更改的条目尚未分配。</translation>
    </message>
    <message>
        <source>The photo with the regions that it shows</source>
        <translation>照片及其中的区域</translation>
    </message>
</context>
<context>
    <name>RolesField</name>
    <message>
        <source>Roles</source>
        <translation>角色</translation>
    </message>
</context>
<context>
    <name>RulesDialog</name>
    <message>
        <source>A record that is finished while this is on waits for its release, and its report says so on every page. Whoever finished a record cannot release it. Records that were finished before stay as they are.</source>
        <translation>开启后完成的记录需等待放行，报告每页都会注明。完成记录的人不能自己放行。此前完成的记录保持不变。</translation>
    </message>
    <message>
        <source>A second person releases a finished record</source>
        <translation>完成的记录须由另一人放行</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Only an administrator can change this.</source>
        <translation>只有管理员可以更改。</translation>
    </message>
    <message>
        <source>Rules for finishing</source>
        <translation>完成规则</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>已保存。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>RunBox</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Detecting… {percent} %</source>
        <translation>正在检测… {percent} %</translation>
    </message>
    <message>
        <source>Detection failed</source>
        <translation>检测失败</translation>
    </message>
    <message>
        <source>Detection waits for its turn…</source>
        <translation>等待检测…</translation>
    </message>
    <message>
        <source>Progress of the detection</source>
        <translation>检测进度</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Set three points</source>
        <translation>设置三点对齐</translation>
    </message>
    <message>
        <source>The detection was cancelled.</source>
        <translation>检测已取消。</translation>
    </message>
</context>
<context>
    <name>SaveAs</name>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Replace the file?</source>
        <translation>替换该文件？</translation>
    </message>
    <message>
        <source>Write HTML</source>
        <translation>写为 HTML</translation>
    </message>
    <message>
        <source>Write the report as HTML?</source>
        <translation>将报告写为 HTML？</translation>
    </message>
    <message>
        <source>{file} is already there.</source>
        <translation>{file} 已存在。</translation>
    </message>
</context>
<context>
    <name>SaveMark</name>
    <message numerus="yes">
        <source>%n edit(s) kept here</source>
        <translation>
            <numerusform>%n 处编辑保存在本机</numerusform>
        </translation>
    </message>
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
    <name>Seal</name>
    <message>
        <source>Awaiting release</source>
        <translation>待放行</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>Finished and sealed by {name} on {time}, edition {n}.</source>
        <translation>由 {name} 于 {time} 完成并封存，第 {n} 版。</translation>
    </message>
    <message>
        <source>Finished and sealed by {name} on {time}, edition {n}. Released by {releaser}.</source>
        <translation>由 {name} 于 {time} 完成并封存，第 {n} 版。由 {releaser} 放行。</translation>
    </message>
    <message>
        <source>Finished by {name} on {time}</source>
        <translation>由 {name} 于 {time} 完成</translation>
    </message>
    <message>
        <source>Finished by {name} on {time}, edition {n}. Waiting for a second person to release it.</source>
        <translation>由 {name} 于 {time} 完成，第 {n} 版。等待另一人放行。</translation>
    </message>
    <message numerus="yes">
        <source>Model&apos;s opinion accepted for %n item(s)</source>
        <translation>
            <numerusform>%n 个检查项采纳了模型意见</numerusform>
        </translation>
    </message>
    <message>
        <source>Open</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>Passed</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>Released by {name} on {time}</source>
        <translation>由 {name} 于 {time} 放行</translation>
    </message>
    <message>
        <source>Reopened</source>
        <translation>已重新打开</translation>
    </message>
    <message>
        <source>Reopened by {name} on {time}: {reason}</source>
        <translation>由 {name} 于 {time} 重新打开：{reason}</translation>
    </message>
    <message>
        <source>Sealed</source>
        <translation>已封存</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>未判定</translation>
    </message>
    <message>
        <source>{passed} passed, {failed} failed, {undecided} undecided</source>
        <translation>通过 {passed}，未通过 {failed}，未判定 {undecided}</translation>
    </message>
</context>
<context>
    <name>SealBar</name>
    <message>
        <source>Editions…</source>
        <translation>版本…</translation>
    </message>
    <message>
        <source>Release…</source>
        <translation>放行…</translation>
    </message>
    <message>
        <source>Reopened by {name}: {reason}</source>
        <translation>由 {name} 重新打开：{reason}</translation>
    </message>
    <message>
        <source>Reopen…</source>
        <translation>重新打开…</translation>
    </message>
    <message>
        <source>Verify seal</source>
        <translation>验证封存</translation>
    </message>
</context>
<context>
    <name>Section</name>
    <message>
        <source>Clear the search</source>
        <translation>清除搜索</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete {name}?</source>
        <translation>删除{name}吗？</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>It will be gone for good. Records that name it keep its id.</source>
        <translation>删除后无法恢复。引用它的检查记录会保留它的编号。</translation>
    </message>
    <message>
        <source>Nothing here yet.</source>
        <translation>这里还没有内容。</translation>
    </message>
    <message>
        <source>Nothing matches.</source>
        <translation>没有符合的内容。</translation>
    </message>
    <message>
        <source>{name} is deleted.</source>
        <translation>已删除{name}。</translation>
    </message>
    <message>
        <source>{name} is saved.</source>
        <translation>已保存{name}。</translation>
    </message>
    <message>
        <source>{name} was not deleted: {why}</source>
        <translation>没有删除{name}：{why}</translation>
    </message>
</context>
<context>
    <name>Sending</name>
    <message>
        <source>The disk does not take what was sent: {why}</source>
        <translation>已发送的修改未能记入磁盘：{why}</translation>
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
    <message>
        <source>The service cannot start: a newer version of Walkaround has changed the data in {folder}. Install that version.</source>
        <translation>服务无法启动：{folder} 中的数据已由更新版本的 Walkaround 修改，请安装该版本。</translation>
    </message>
    <message>
        <source>The service cannot start: another program holds the database in {folder}. End that program.</source>
        <translation>服务无法启动：{folder} 中的数据库正被其他程序占用，请关闭该程序。</translation>
    </message>
    <message>
        <source>The service cannot start: it may not write to {folder}. Give this account the right to.</source>
        <translation>服务无法启动：无权写入 {folder}，请为此账户授予写入权限。</translation>
    </message>
    <message>
        <source>The service cannot start: the database in {folder} is damaged. Restore a backup.</source>
        <translation>服务无法启动：{folder} 中的数据库已损坏，请恢复备份。</translation>
    </message>
    <message>
        <source>The service cannot start: the disk of {folder} is full. Make room.</source>
        <translation>服务无法启动：{folder} 所在磁盘已满，请清理空间。</translation>
    </message>
    <message>
        <source>The service could not be started or reached. What you edit is kept on this machine.</source>
        <translation>服务无法启动或无法连接。您的编辑会保存在本机。</translation>
    </message>
</context>
<context>
    <name>SetPassword</name>
    <message>
        <source>Their logins end at once. Tell them the new password on a safe way.</source>
        <translation>该用户的登录会立即失效。请用安全的方式告知新密码。</translation>
    </message>
</context>
<context>
    <name>Sharing</name>
    <message>
        <source>Also the photo of {names}</source>
        <translation>同时用于 {names}</translation>
    </message>
    <message>
        <source>It then waits among the photos of the record.</source>
        <translation>之后它留在检查记录的待分配照片中。</translation>
    </message>
    <message>
        <source>Only {name} loses it; it stays the photo of {others}.</source>
        <translation>只有 {name} 失去它；{others} 仍使用它。</translation>
    </message>
    <message>
        <source>{photo} · of this item only</source>
        <translation>{photo} · 仅用于此条目</translation>
    </message>
    <message numerus="yes">
        <source>{photo} · shared with %n other item(s)</source>
        <translation>
            <numerusform>{photo} · 与另外 %n 个条目共用</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Side</name>
    <message>
        <source>Fetching the photo… {n} %</source>
        <translation>正在下载照片… {n} %</translation>
    </message>
    <message>
        <source>This version names no photo.</source>
        <translation>这个版本没有记下照片。</translation>
    </message>
</context>
<context>
    <name>Standing</name>
    <message>
        <source>Release record</source>
        <translation>放行</translation>
    </message>
    <message>
        <source>Release the record?</source>
        <translation>放行此记录？</translation>
    </message>
    <message>
        <source>The report was written: {file}</source>
        <translation>报告已生成：{file}</translation>
    </message>
    <message>
        <source>You confirm what {name} finished. Your name is kept with edition {n}.</source>
        <translation>您确认 {name} 完成的内容。您的姓名将随第 {n} 版保存。</translation>
    </message>
    <message>
        <source>{record}, edition {n}</source>
        <translation>{record} 第 {n} 版</translation>
    </message>
</context>
<context>
    <name>Starting</name>
    <message>
        <source>There is no earlier inspection of this reference image.</source>
        <translation>这张参考图没有更早的检查。</translation>
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
    <name>Switch</name>
    <message>
        <source>Photo</source>
        <translation>照片</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>参考图</translation>
    </message>
</context>
<context>
    <name>TaskForm</name>
    <message>
        <source>A task needs a name.</source>
        <translation>请填写任务名称。</translation>
    </message>
    <message>
        <source>After-flight walkaround</source>
        <translation>航后绕机检查</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>An aircraft that is left empty is that of the flight.</source>
        <translation>飞机留空时，取航班的飞机。</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
</context>
<context>
    <name>TaskSection</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>更改时间</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>No tasks yet. Every record belongs to one.</source>
        <translation>还没有任务。每条检查记录都属于一项任务。</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
</context>
<context>
    <name>ToolStrip</name>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
</context>
<context>
    <name>Top</name>
    <message numerus="yes">
        <source>%n edit(s) to decide</source>
        <translation>
            <numerusform>%n 处修改待决定</numerusform>
        </translation>
    </message>
    <message>
        <source>Detect all</source>
        <translation>检测全部</translation>
    </message>
    <message>
        <source>Everything has reached the service.</source>
        <translation>所有修改都已保存到服务。</translation>
    </message>
    <message>
        <source>Finish record</source>
        <translation>完成记录</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Photos</source>
        <translation>照片</translation>
    </message>
    <message>
        <source>Records</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Stop detecting ({percent} %)</source>
        <translation>停止检测（{percent} %）</translation>
    </message>
    <message>
        <source>The service does not answer. Your edits are kept on this machine and sent later.</source>
        <translation>服务没有应答。修改保存在本机，稍后自动发送。</translation>
    </message>
    <message>
        <source>These edits are on this machine since the program ended. Say whether to send them.</source>
        <translation>程序结束时这些编辑保存在本机。请决定是否发送。</translation>
    </message>
    <message>
        <source>Unnamed record</source>
        <translation>未命名的记录</translation>
    </message>
    <message>
        <source>Write the report</source>
        <translation>生成报告</translation>
    </message>
    <message>
        <source>Your edits are on this machine and on their way to the service.</source>
        <translation>修改已保存在本机，正在发送到服务。</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n 张照片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) wait to be assigned by hand.</source>
        <translation>
            <numerusform>%n 张照片等待手动分配。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Accept for %n item(s)</source>
        <translation>
            <numerusform>接受，用于 %n 个条目</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Assign to %n chosen item(s)</source>
        <translation>
            <numerusform>分配给选中的 %n 个条目</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Look at it…</source>
        <translation>查看…</translation>
    </message>
    <message>
        <source>Look at them…</source>
        <translation>查看…</translation>
    </message>
    <message numerus="yes">
        <source>Looking for the regions in %n photo(s)…</source>
        <translation>
            <numerusform>正在 %n 张照片中查找区域…</numerusform>
        </translation>
    </message>
    <message>
        <source>Match all of them again</source>
        <translation>全部重新匹配</translation>
    </message>
    <message>
        <source>Photos of the record</source>
        <translation>检查记录的照片</translation>
    </message>
    <message>
        <source>Photos sent</source>
        <translation>已发送的照片</translation>
    </message>
    <message>
        <source>Photos that wait</source>
        <translation>待分配的照片</translation>
    </message>
    <message numerus="yes">
        <source>Regions of %n item(s) found in {photos}.</source>
        <translation>
            <numerusform>在{photos}中找到 %n 个条目的区域。</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove from the record…</source>
        <translation>从检查记录移除…</translation>
    </message>
    <message numerus="yes">
        <source>Sending %n photo(s)…</source>
        <translation>
            <numerusform>正在发送 %n 张照片…</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop sending photos</source>
        <translation>停止发送照片</translation>
    </message>
    <message numerus="yes">
        <source>The service does not answer. %n photo(s) are sent when it is back.</source>
        <translation>
            <numerusform>服务没有响应。恢复后将发送 %n 张照片。</numerusform>
        </translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>Undoing</name>
    <message>
        <source>Done again: {step}</source>
        <translation>已重做：{step}</translation>
    </message>
    <message>
        <source>Nothing to redo.</source>
        <translation>没有可重做的操作。</translation>
    </message>
    <message>
        <source>Nothing to undo.</source>
        <translation>没有可撤销的操作。</translation>
    </message>
    <message>
        <source>The item is undecided: the verdict of {name} stays in its history, and only {name} can give it again.</source>
        <translation>条目现为待判定：{name}的判定保留在历史中，只能由{name}本人重新作出。</translation>
    </message>
    <message>
        <source>Undone: {step}</source>
        <translation>已撤销：{step}</translation>
    </message>
    <message>
        <source>somebody else</source>
        <translation>其他人</translation>
    </message>
</context>
<context>
    <name>Uploading</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>The service is looking at it…</source>
        <translation>服务正在检查文件…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Uploading…</source>
        <translation>正在上传…</translation>
    </message>
</context>
<context>
    <name>UserSection</name>
    <message>
        <source>Delete the face</source>
        <translation>删除人脸</translation>
    </message>
    <message>
        <source>Delete the face of {name}?</source>
        <translation>删除{name}的人脸吗？</translation>
    </message>
    <message>
        <source>Disable</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Disable {name}?</source>
        <translation>停用{name}吗？</translation>
    </message>
    <message>
        <source>Disabled</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Enable</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Enrolled</source>
        <translation>已登记</translation>
    </message>
    <message>
        <source>Everything that was enrolled is deleted. They log in by password, and may enrol anew.</source>
        <translation>已登记的人脸数据会全部删除。该用户用密码登录，也可以重新登记。</translation>
    </message>
    <message>
        <source>Face</source>
        <translation>人脸</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>姓名</translation>
    </message>
    <message>
        <source>No face of this user is enrolled.</source>
        <translation>该用户尚未登记人脸。</translation>
    </message>
    <message>
        <source>No users yet.</source>
        <translation>还没有用户。</translation>
    </message>
    <message>
        <source>Roles</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Set a password</source>
        <translation>设置密码</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>They are logged out at once and cannot log in. What they did stays, and so does this entry.</source>
        <translation>该用户会立即退出，并且不能再登录。其操作记录和本条目都会保留。</translation>
    </message>
    <message>
        <source>User name</source>
        <translation>用户名</translation>
    </message>
</context>
<context>
    <name>VerdictBox</name>
    <message>
        <source>Fail</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>Model: {opinion}</source>
        <translation>模型：{opinion}</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>Reason, or a note for the report</source>
        <translation>理由，或写进报告的说明</translation>
    </message>
    <message>
        <source>The verdict was not given: one that differs from the model&apos;s needs a reason.</source>
        <translation>判定没有作出：与模型不同的判定需要写明理由。</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>待判定</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>You and the model differ. The verdict is given with the reason: say why.</source>
        <translation>您与模型的判断不同。写明理由后判定才生效。</translation>
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
        <source>Look into the oval, without a mask</source>
        <translation>请看向椭圆框，不要戴口罩</translation>
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
        <source>Take off the mask, please</source>
        <translation>请摘下口罩</translation>
    </message>
    <message>
        <source>Turn away from the bright light</source>
        <translation>请避开强光</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
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
    <name>Words</name>
    <message>
        <source>, </source>
        <comment>between the words of a list</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>{name}: {value}</source>
        <comment>what it is called, what it is</comment>
        <translation>{name}：{value}</translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message numerus="yes">
        <source>%n finding(s) chosen</source>
        <translation>
            <numerusform>已选 %n 处发现</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n region(s) chosen</source>
        <translation>
            <numerusform>已选 %n 个区域</numerusform>
        </translation>
    </message>
    <message>
        <source>Align by three points</source>
        <translation>三点对齐</translation>
    </message>
    <message>
        <source>Brightness {n}</source>
        <translation>亮度 {n}</translation>
    </message>
    <message>
        <source>Change description</source>
        <translation>修改说明</translation>
    </message>
    <message>
        <source>Change model</source>
        <translation>更换模型</translation>
    </message>
    <message>
        <source>Change the detection settings</source>
        <translation>更改检测设置</translation>
    </message>
    <message>
        <source>Change the ignored areas</source>
        <translation>更改忽略区域</translation>
    </message>
    <message>
        <source>Contrast {n}</source>
        <translation>对比度 {n}</translation>
    </message>
    <message>
        <source>Correct findings</source>
        <translation>修正发现</translation>
    </message>
    <message>
        <source>Delete item</source>
        <translation>删除条目</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Detection model</source>
        <translation>检测模型</translation>
    </message>
    <message>
        <source>Finding {size}</source>
        <translation>发现 {size}</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>发现</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>已隐藏</translation>
    </message>
    <message>
        <source>Import regions</source>
        <translation>导入区域</translation>
    </message>
    <message>
        <source>Item {n} / {all}</source>
        <translation>条目 {n} / {all}</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>已锁定</translation>
    </message>
    <message>
        <source>Mark on the reference image</source>
        <translation>标记到参考图上</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Region</source>
        <translation>区域</translation>
    </message>
    <message>
        <source>Region {size}</source>
        <translation>区域 {size}</translation>
    </message>
    <message>
        <source>Rename item</source>
        <translation>重命名条目</translation>
    </message>
    <message>
        <source>Set verdict</source>
        <translation>设置判定</translation>
    </message>
    <message>
        <source>Snapping</source>
        <translation>吸附</translation>
    </message>
    <message>
        <source>This will not survive a crash: {why}</source>
        <translation>程序意外退出时这一步会丢失：{why}</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Verdict of {name}: {verdict}</source>
        <translation>{name}的判定：{verdict}</translation>
    </message>
    <message>
        <source>Version {n} / {all}</source>
        <translation>版本 {n} / {all}</translation>
    </message>
    <message>
        <source>a person</source>
        <translation>有人</translation>
    </message>
    <message>
        <source>by the model</source>
        <translation>模型检测</translation>
    </message>
    <message>
        <source>corrected by you, on its way</source>
        <translation>您已修正，正在保存</translation>
    </message>
    <message>
        <source>corrected by {name}</source>
        <translation>{name}修正</translation>
    </message>
</context>
<context>
    <name>WorkbenchPage</name>
    <message numerus="yes">
        <source>%n undecided item(s) already have a current result and were left out.</source>
        <translation>
            <numerusform>%n 个未判定的条目已有最新结果，本次未检测。</numerusform>
        </translation>
    </message>
    <message>
        <source>Detect them again</source>
        <translation>重新检测这些条目</translation>
    </message>
    <message>
        <source>Every other item is decided.</source>
        <translation>其他条目都已判定。</translation>
    </message>
    <message>
        <source>No record is open. Choose one from the list.</source>
        <translation>没有打开的记录，请从列表中选择。</translation>
    </message>
    <message>
        <source>Opening the record…</source>
        <translation>正在打开记录…</translation>
    </message>
    <message>
        <source>Record finished and sealed.</source>
        <translation>记录已完成并封存。</translation>
    </message>
    <message>
        <source>Show the records</source>
        <translation>查看记录</translation>
    </message>
    <message>
        <source>Show the reference image first ({keys}).</source>
        <translation>请先显示参考图（{keys}）。</translation>
    </message>
    <message>
        <source>The report is written: {path}</source>
        <translation>报告已写好：{path}</translation>
    </message>
    <message>
        <source>This record is no longer there.</source>
        <translation>这条记录已不存在。</translation>
    </message>
    <message>
        <source>Workbench</source>
        <translation>工作台</translation>
    </message>
</context>
<context>
    <name>Writing</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>HTML (*.html)</source>
        <translation>HTML (*.html)</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>The file cannot be written: {why}. Choose another place.</source>
        <translation>无法写入文件：{why}。请选择其他位置。</translation>
    </message>
    <message>
        <source>Write the report</source>
        <translation>生成报告</translation>
    </message>
    <message>
        <source>Writing {file}…</source>
        <translation>正在生成 {file}…</translation>
    </message>
</context>
<context>
    <name>ZoomChip</name>
    <message>
        <source>100 %: one screen pixel for each pixel of the picture (1)</source>
        <translation>100 %：图片的一个像素对应屏幕的一个像素 (1)</translation>
    </message>
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
</context>
<context>
    <name>_Picture</name>
    <message>
        <source>Camera</source>
        <translation>摄像头</translation>
    </message>
</context>
<context>
    <name>_Thumb</name>
    <message>
        <source>Photo of {time}</source>
        <translation>{time} 的照片</translation>
    </message>
    <message>
        <source>Take this photo off the item</source>
        <translation>从条目移除这张照片</translation>
    </message>
    <message>
        <source>detection looks at this one</source>
        <translation>检测使用这张</translation>
    </message>
</context>
<context>
    <name>_UserForm</name>
    <message>
        <source>Choose a password by the rules below.</source>
        <translation>请按下面的规则设置密码。</translation>
    </message>
    <message>
        <source>Choose at least one role.</source>
        <translation>请至少选择一个角色。</translation>
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
        <translation>两次输入的密码不同。</translation>
    </message>
</context>
<context>
    <name>imaging</name>
    <message>
        <source>HEIC photos need the library libheif with its decoder for HEVC. Install it (on Debian and Ubuntu the package {package}), or save the photo as JPEG and add that file.</source>
        <translation>打开 HEIC 照片需要 libheif 库及其 HEVC 解码器。请安装（Debian 和 Ubuntu 上的软件包为 {package}），或将照片另存为 JPEG 后再添加。</translation>
    </message>
    <message>
        <source>The file is damaged or of another kind than its name says. Copy it from the camera again, or save the photo as JPEG.</source>
        <translation>文件已损坏，或实际格式与扩展名不符。请从相机重新复制，或将照片另存为 JPEG。</translation>
    </message>
    <message>
        <source>The file is damaged or too new for libheif {version} on this computer: photos of newer phones need 1.18. Update libheif, or save the photo as JPEG and add that file.</source>
        <translation>文件已损坏，或格式太新，此计算机上的 libheif {version} 无法打开：较新手机的照片需要 1.18。请更新 libheif，或将照片另存为 JPEG 后再添加。</translation>
    </message>
    <message>
        <source>The file is larger than {n} MB. Save the photo as JPEG and add that file.</source>
        <translation>文件大于 {n} MB。请将照片另存为 JPEG 后再添加。</translation>
    </message>
    <message>
        <source>The picture cannot be read. It is damaged, or no JPEG, PNG, WebP or TIFF.</source>
        <translation>图片无法读取：已损坏，或不是 JPEG、PNG、WebP、TIFF。</translation>
    </message>
    <message>
        <source>The picture carries too much text or too many colour channels. Save it anew elsewhere.</source>
        <translation>图片附带的文字或颜色通道过多，请用其他软件另存后再打开。</translation>
    </message>
    <message>
        <source>The picture has {0} x {1} pixels, more than this program opens.</source>
        <translation>图片有 {0} x {1} 像素，超出本程序可打开的范围。</translation>
    </message>
    <message>
        <source>The picture {0} cannot be fetched from the service. Open it again in a moment.</source>
        <translation>无法从服务获取图片 {0}。请稍后重新打开。</translation>
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
        <source>The service gave another picture than the one that is named here. Set it anew.</source>
        <translation>服务给出的图片与此处指明的不是同一张，请重新设置。</translation>
    </message>
    <message>
        <source>This RAW file contains no preview that is large enough. Save the photo as JPEG in the program of the camera and add that file.</source>
        <translation>此 RAW 文件中没有足够大的预览图。请用相机配套软件将照片另存为 JPEG 后再添加。</translation>
    </message>
    <message>
        <source>This kind of HEIC file cannot be opened on this computer. Save the photo as JPEG and add that file.</source>
        <translation>此计算机无法打开这种 HEIC 文件。请将照片另存为 JPEG 后再添加。</translation>
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
