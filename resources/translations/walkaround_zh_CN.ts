<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Banner</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Add a photo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the last page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear the filters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare reference and photo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the regions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw a region</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Editing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finish the record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold the inspector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to my account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to people</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to records</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the catalogue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide or show labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide or show regions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Items and findings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys and shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language: Chinese</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language: English</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language: as the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next finding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next undecided item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One to one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder of the logs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste regions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous finding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Records</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reload this page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename the item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run detection on all items</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run detection on this item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search on this page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select all regions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take a photo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme: as the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdict: failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdict: passed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdict: undecided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom to the item</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Confirm</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>Something failed inside the program. What you did last may be missing. Details: {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your login has ended. Log in again to go on where you were.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ErrorState</name>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>A password has 8 to 128 characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A phone number has only digits, blanks, brackets, + and -.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A user name has 1 to 64 characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A user name has no blanks or invisible characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A whole number from 0 to 80.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At most 255 characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At most 32 characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Face login is off here. Log in by password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mouth and nose are covered. Take the mask off and take it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture {n}: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Somebody else changed this meanwhile. Look at the newest version, then decide.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The current password is wrong.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The face is blurred. Clean the lens, keep still and take it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The face is too bright. Turn away from the light and take it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The face is too dark. Make more light and take it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The face is too small. Come closer and take it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The face is turned too far. Turn a little towards the camera and take it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The face was not recognized. Try again, or log in by password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file cannot be read. Choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The password must not be the user name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture has more than 50 megapixels. Make it smaller, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is damaged. Take or choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is larger than 10 MB. Choose a smaller one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is too small. Choose a clearer one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture of the face is missing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The pictures do not look like one person. Take all of them anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service cannot be reached. Check that it is running, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service did not do this. Try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service failed. Try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service failed. Try again; if it stays, tell an administrator the number {number}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service is busy. Wait a moment, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is more than one person. Only you may be in the picture.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no face. Face the camera without a mask, the whole face in the picture.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This did not work. Try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This face is enrolled for another user. Ask an administrator.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no e-mail address; it has the form name@example.com.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is not valid.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is too large. Choose a smaller file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This kind of file is not supported. Choose a JPEG, PNG or WebP picture.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This looks like a picture of a picture. Face the camera yourself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This needs a fresh login by password. Log out, log in by password, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This password is too common. Choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Too many tries. Try again in %n second(s).</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>What answers there is no Walkaround service. Check the address of the server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wrong user name or password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You have no right to do this. Ask an administrator.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your login has ended. Log in again.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FaceLogin</name>
    <message>
        <source>Checking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not recognized. Look straight into the camera.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting the camera…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The camera cannot be used. Close other programs that use it, or choose another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The camera was unplugged. Plug it in again to go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The face was not recognized. Log in by password, or try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no camera here. Log in by password or with a photo file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FacePicture</name>
    <message>
        <source>Choose a picture of your face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one to five pictures of your face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures (*.jpg *.jpeg *.png *.webp)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FirstRunForm</name>
    <message>
        <source>Choose a password by the rules below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a user name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make the administrator and log in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Password</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Password once more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The two passwords differ.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>User name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your name (may stay empty)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>KeyEdit</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Default keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press the new key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This key means “{names}” already. Taking it leaves that without it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this key</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>KeySheet</name>
    <message>
        <source>Change the keys of: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a command or a key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys and shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Single keys do not act while you type in a field.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LoadingState</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LoginPage</name>
    <message>
        <source>Change server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inspection workstation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log in with a photo file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look into the camera, or enter your password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make the first administrator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody can log in yet: make the first administrator on the server itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The connection is being restored…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service cannot be reached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service has ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service is starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service of this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no user yet. The first one is the administrator, who adds everybody else.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>The connection to the service was lost. It is being restored; go on working.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service could not be started or reached. What you edit is kept on this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoPermissionState</name>
    <message>
        <source>You have no right to see this. Ask an administrator for it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What do you want to do?</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PasswordField</name>
    <message>
        <source>Hide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PasswordForm</name>
    <message>
        <source>Enter your password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter your user name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logging in…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Password</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>User name</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message>
        <source>Aircraft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Created</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evidence: files and their SHA-256</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Executor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inspection record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inspection report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Made by {person} on {time} with {program}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model of item {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model: no result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model: {verdict}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No findings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No region</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page {number} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Photo of item {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reference image</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reference image with the numbered regions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Region x {x} y {y}, {w} × {h} px</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Signature and date</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{verdict} by the model, not confirmed by a person</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{verdict} by {person}, {time}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SaveMark</name>
    <message>
        <source>All saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Offline, %n edit(s) kept here</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saving %n edit(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerDialog</name>
    <message>
        <source>A server on the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The service of this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no address. It has the form https://name or name:port.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this service</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which service?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without https, passwords and pictures can be read on the way.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Service</name>
    <message>
        <source>Service not reachable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Service ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Service restarting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Service starting</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StrengthLine</name>
    <message>
        <source>8 to 128 characters, not the user name, not a common password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Good</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too short</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weak</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Viewfinder</name>
    <message>
        <source>Camera</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Camera: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Come a little closer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Good, keep looking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep still for a moment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look into the oval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More light on your face, please</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move back a little</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to the middle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One person only, please</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Turn away from the bright light</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_Welcome</name>
    <message>
        <source>Inspectors and planners are added later, under People.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No account and no password exists before you make one here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Records and pictures stay on this machine, in one folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Welcome to Walkaround</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>imaging</name>
    <message>
        <source>The picture cannot be read. It is damaged, or no JPEG, PNG, WebP or TIFF.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture has {0} x {1} pixels, more than this program opens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture {0} cannot be prepared for zooming: {1}. Free some disk space.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture {0} cannot be read to its end. Its file is damaged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is not there any more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
