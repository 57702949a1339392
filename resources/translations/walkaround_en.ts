<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US">
<context>
    <name>Errors</name>
    <message numerus="yes">
        <source>Too many tries. Try again in %n second(s).</source>
        <translation>
            <numerusform>Too many tries. Try again in %n second.</numerusform>
            <numerusform>Too many tries. Try again in %n seconds.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FaceCard</name>
    <message numerus="yes">
        <source>Enrolled with %n picture(s) on {date}.</source>
        <translation>
            <numerusform>Enrolled with %n picture on {date}.</numerusform>
            <numerusform>Enrolled with %n pictures on {date}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SaveMark</name>
    <message numerus="yes">
        <source>Offline, %n edit(s) kept here</source>
        <translation>
            <numerusform>Offline, %n edit kept here</numerusform>
            <numerusform>Offline, %n edits kept here</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saving %n edit(s)</source>
        <translation>
            <numerusform>Saving %n edit</numerusform>
            <numerusform>Saving %n edits</numerusform>
        </translation>
    </message>
</context>
</TS>
