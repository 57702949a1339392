<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US">
<context>
    <name>AcceptedBar</name>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n photo</numerusform>
            <numerusform>%n photos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Run detection on %n item(s)</source>
        <translation>
            <numerusform>Run detection on %n item</numerusform>
            <numerusform>Run detection on %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{photos} assigned to %n item(s).</source>
        <translation>
            <numerusform>{photos} assigned to %n item.</numerusform>
            <numerusform>{photos} assigned to %n items.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AuditSection</name>
    <message numerus="yes">
        <source>Last %n day(s)</source>
        <translation>
            <numerusform>Last day</numerusform>
            <numerusform>Last %n days</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BackupSection</name>
    <message numerus="yes">
        <source>%n attempt(s) failed since then.</source>
        <translation>
            <numerusform>%n attempt failed since then.</numerusform>
            <numerusform>%n attempts failed since then.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BatchBar</name>
    <message numerus="yes">
        <source>%n cancelled</source>
        <translation>
            <numerusform>%n cancelled</numerusform>
            <numerusform>%n cancelled</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n detection(s) completed</source>
        <translation>
            <numerusform>%n detection completed</numerusform>
            <numerusform>%n detections completed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Catalogue</name>
    <message numerus="yes">
        <source>%n template region(s)</source>
        <translation>
            <numerusform>%n template region</numerusform>
            <numerusform>%n template regions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Charts</name>
    <message numerus="yes">
        <source>Mean of %n record(s)</source>
        <translation>
            <numerusform>Mean of %n record</numerusform>
            <numerusform>Mean of %n records</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CheckDialog</name>
    <message numerus="yes">
        <source>Edition {n}, seal {seal}…, %n file(s) verified.</source>
        <translation>
            <numerusform>Edition {n}, seal {seal}…, %n file verified.</numerusform>
            <numerusform>Edition {n}, seal {seal}…, %n files verified.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CorrectionBar</name>
    <message numerus="yes">
        <source>%n unsaved change(s)</source>
        <translation>
            <numerusform>%n unsaved change</numerusform>
            <numerusform>%n unsaved changes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CorrectionController</name>
    <message numerus="yes">
        <source>%n unsaved change(s) to findings restored.</source>
        <translation>
            <numerusform>%n unsaved change to findings restored.</numerusform>
            <numerusform>%n unsaved changes to findings restored.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message numerus="yes">
        <source>%n errors so far.</source>
        <translation>
            <numerusform>%n error so far.</numerusform>
            <numerusform>%n errors so far.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) not uploaded yet. Wait for them before you restart.</source>
        <translation>
            <numerusform>%n photo not uploaded yet. Wait for it before you restart.</numerusform>
            <numerusform>%n photos not uploaded yet. Wait for them before you restart.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All edits are saved on this computer; %n of them are sent later.</source>
        <translation>
            <numerusform>All edits are saved on this computer; %n of them is sent later.</numerusform>
            <numerusform>All edits are saved on this computer; %n of them are sent later.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CrashHandler</name>
    <message numerus="yes">
        <source>The same error occurred again (%n times). Restart the program.</source>
        <translation>
            <numerusform>The same error occurred again (%n time). Restart the program.</numerusform>
            <numerusform>The same error occurred again (%n times). Restart the program.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DateRange</name>
    <message numerus="yes">
        <source>Last %n day(s)</source>
        <translation>
            <numerusform>Last day</numerusform>
            <numerusform>Last %n days</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DeleteDialog</name>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n photo</numerusform>
            <numerusform>%n photos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n verdict(s)</source>
        <translation>
            <numerusform>%n verdict</numerusform>
            <numerusform>%n verdicts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n item(s)</source>
        <translation>
            <numerusform>Delete %n item</numerusform>
            <numerusform>Delete %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %n item(s)?</source>
        <translation>
            <numerusform>Delete %n item?</numerusform>
            <numerusform>Delete %n items?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DeletionController</name>
    <message numerus="yes">
        <source>Cannot delete %n locked item(s). Unlock first ({keys}).</source>
        <translation>
            <numerusform>Cannot delete %n locked item. Unlock it first ({keys}).</numerusform>
            <numerusform>Cannot delete %n locked items. Unlock them first ({keys}).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Detection</name>
    <message numerus="yes">
        <source>Compared by appearance with %n passed photo(s)</source>
        <translation>
            <numerusform>Compared by appearance with %n passed photo</numerusform>
            <numerusform>Compared by appearance with %n passed photos</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DetectionController</name>
    <message numerus="yes">
        <source>%n item(s) skipped: no photo or no model.</source>
        <translation>
            <numerusform>%n item skipped: no photo or no model.</numerusform>
            <numerusform>%n items skipped: no photo or no model.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DetectionSettingsController</name>
    <message numerus="yes">
        <source>%n item(s) changed.</source>
        <translation>
            <numerusform>%n item changed.</numerusform>
            <numerusform>%n items changed.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DoctorDialog</name>
    <message numerus="yes">
        <source>%n fault(s) found. Each says what to do.</source>
        <translation>
            <numerusform>%n fault found. It says what to do.</numerusform>
            <numerusform>%n faults found. Each says what to do.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>No faults. %n warning(s).</source>
        <translation>
            <numerusform>No faults. %n warning.</numerusform>
            <numerusform>No faults. %n warnings.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DropController</name>
    <message numerus="yes">
        <source>Add %n photo(s)?</source>
        <translation>
            <numerusform>Add %n photo?</numerusform>
            <numerusform>Add %n photos?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message numerus="yes">
        <source>%n flight(s)</source>
        <translation>
            <numerusform>%n flight</numerusform>
            <numerusform>%n flights</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) have no verdict yet: {names}</source>
        <translation>
            <numerusform>%n item has no verdict yet: {names}</numerusform>
            <numerusform>%n items have no verdict yet: {names}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n passed item(s) were not inspected completely: {names}. Detect them in a photo of the whole region.</source>
        <translation>
            <numerusform>%n passed item was not inspected completely: {names}. Detect it in a photo of the whole region.</numerusform>
            <numerusform>%n passed items were not inspected completely: {names}. Detect them in a photo of the whole region.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n record(s)</source>
        <translation>
            <numerusform>%n record</numerusform>
            <numerusform>%n records</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n reference image(s)</source>
        <translation>
            <numerusform>%n reference image</numerusform>
            <numerusform>%n reference images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n task(s)</source>
        <translation>
            <numerusform>%n task</numerusform>
            <numerusform>%n tasks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Detection is running on %n item(s): {names}. Wait for it to finish or cancel it.</source>
        <translation>
            <numerusform>Detection is running on %n item: {names}. Wait for it to finish or cancel it.</numerusform>
            <numerusform>Detection is running on %n items: {names}. Wait for it to finish or cancel it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Too many attempts. Try again in %n second(s).</source>
        <translation>
            <numerusform>Too many attempts. Try again in %n second.</numerusform>
            <numerusform>Too many attempts. Try again in %n seconds.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExchangeMessages</name>
    <message numerus="yes">
        <source>%n outside the image skipped.</source>
        <translation>
            <numerusform>%n outside the image skipped.</numerusform>
            <numerusform>%n outside the image skipped.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n point(s) or empty shape(s) skipped.</source>
        <translation>
            <numerusform>%n point or empty shape skipped.</numerusform>
            <numerusform>%n points or empty shapes skipped.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Explained</name>
    <message numerus="yes">
        <source>Known variation: seen in %n passed photo(s).</source>
        <translation>
            <numerusform>Known variation: seen in %n passed photo.</numerusform>
            <numerusform>Known variation: seen in %n passed photos.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExplainedBox</name>
    <message numerus="yes">
        <source>%n known variation(s) not reported</source>
        <translation>
            <numerusform>%n known variation not reported</numerusform>
            <numerusform>%n known variations not reported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Seen in %n passed photo(s)</source>
        <translation>
            <numerusform>Seen in %n passed photo</numerusform>
            <numerusform>Seen in %n passed photos</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message numerus="yes">
        <source>%n image(s) not exported: missing on the service.</source>
        <translation>
            <numerusform>%n image not exported: missing on the service.</numerusform>
            <numerusform>%n images not exported: missing on the service.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FaceCard</name>
    <message numerus="yes">
        <source>Enrolled with %n photo(s) on {date}.</source>
        <translation>
            <numerusform>Enrolled with %n photo on {date}.</numerusform>
            <numerusform>Enrolled with %n photos on {date}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FaceSection</name>
    <message numerus="yes">
        <source>%n face template(s)</source>
        <translation>
            <numerusform>%n face template</numerusform>
            <numerusform>%n face templates</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n face(s) in photos</source>
        <translation>
            <numerusform>%n face in photos</numerusform>
            <numerusform>%n faces in photos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pair(s) of different people can be mistaken for each other. Enrol them again in better light, or disable face login.</source>
        <translation>
            <numerusform>One pair of different people can be mistaken for each other. Enrol them again in better light, or disable face login.</numerusform>
            <numerusform>%n pairs of different people can be mistaken for each other. Enrol them again in better light, or disable face login.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n person(s)</source>
        <translation>
            <numerusform>%n person</numerusform>
            <numerusform>%n people</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FilmDialog</name>
    <message numerus="yes">
        <source>%n frame(s) taken</source>
        <translation>
            <numerusform>%n frame taken</numerusform>
            <numerusform>%n frames taken</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FindingsBox</name>
    <message numerus="yes">
        <source>%n finding(s) below the threshold; reports include all</source>
        <translation>
            <numerusform>%n finding below the threshold; reports include all</numerusform>
            <numerusform>%n findings below the threshold; reports include all</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FinishDialog</name>
    <message numerus="yes">
        <source>%n item(s) are undecided.</source>
        <translation>
            <numerusform>%n item is undecided.</numerusform>
            <numerusform>%n items are undecided.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) failed.</source>
        <translation>
            <numerusform>%n item failed.</numerusform>
            <numerusform>%n items failed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) have no model opinion to accept. Give a verdict for them first.</source>
        <translation>
            <numerusform>%n item has no model opinion to accept. Give a verdict for it first.</numerusform>
            <numerusform>%n items have no model opinion to accept. Give a verdict for them first.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) wait for you. Complete them first.</source>
        <translation>
            <numerusform>%n item waits for you. Complete it first.</numerusform>
            <numerusform>%n items wait for you. Complete them first.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Accept the model&apos;s opinion for the remaining %n item(s)</source>
        <translation>
            <numerusform>Accept the model&apos;s opinion for the remaining item</numerusform>
            <numerusform>Accept the model&apos;s opinion for the remaining %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ItemDelegate</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n finding</numerusform>
            <numerusform>%n findings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ItemsCard</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n finding</numerusform>
            <numerusform>%n findings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ItemsModel</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n finding</numerusform>
            <numerusform>%n findings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message numerus="yes">
        <source>%n photo(s) not uploaded yet. They may be lost if you log out now.</source>
        <translation>
            <numerusform>%n photo is not uploaded yet. It may be lost if you log out now.</numerusform>
            <numerusform>%n photos are not uploaded yet. They may be lost if you log out now.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) not uploaded yet. They will be lost if you close now.</source>
        <translation>
            <numerusform>%n photo is not uploaded yet. It will be lost if you close now.</numerusform>
            <numerusform>%n photos are not uploaded yet. They will be lost if you close now.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message numerus="yes">
        <source>%n difference(s)</source>
        <translation>
            <numerusform>%n difference</numerusform>
            <numerusform>%n differences</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Detection uses what %n photo(s) showed.</source>
        <translation>
            <numerusform>Detection uses what %n photo showed.</numerusform>
            <numerusform>Detection uses what %n photos showed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Failed · %n finding(s)</source>
        <translation>
            <numerusform>Failed · %n finding</numerusform>
            <numerusform>Failed · %n findings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Passed · %n difference(s)</source>
        <translation>
            <numerusform>Passed · %n difference</numerusform>
            <numerusform>Passed · %n differences</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoryDialog</name>
    <message numerus="yes">
        <source>%n place(s) look different in nearly all newer photos than in the reference image. A planner can replace the reference image in the catalogue.</source>
        <translation>
            <numerusform>%n place looks different in nearly all newer photos than in the reference image. A planner can replace the reference image in the catalogue.</numerusform>
            <numerusform>%n places look different in nearly all newer photos than in the reference image. A planner can replace the reference image in the catalogue.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>NewRecordDialog</name>
    <message numerus="yes">
        <source>Reference image template, %n region(s)</source>
        <translation>
            <numerusform>Reference image template, %n region</numerusform>
            <numerusform>Reference image template, %n regions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message numerus="yes">
        <source>The program closed unexpectedly. %n unsent change(s) are kept.</source>
        <translation>
            <numerusform>The program closed unexpectedly. %n unsent change is kept.</numerusform>
            <numerusform>The program closed unexpectedly. %n unsent changes are kept.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OtherFileBanner</name>
    <message numerus="yes">
        <source>%n item(s) are not on the record&apos;s reference image. This item is on {name}.</source>
        <translation>
            <numerusform>This item is not on the record&apos;s reference image but on {name}.</numerusform>
            <numerusform>%n items are not on the record&apos;s reference image. This item is on {name}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Pager</name>
    <message numerus="yes">
        <source>%n total</source>
        <translation>
            <numerusform>%n total</numerusform>
            <numerusform>%n total</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PhoneDialog</name>
    <message numerus="yes">
        <source>%n on the way</source>
        <translation>
            <numerusform>%n on the way</numerusform>
            <numerusform>%n on the way</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) arrived</source>
        <translation>
            <numerusform>%n photo arrived</numerusform>
            <numerusform>%n photos arrived</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n refused</source>
        <translation>
            <numerusform>%n refused</numerusform>
            <numerusform>%n refused</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PhotoStrip</name>
    <message numerus="yes">
        <source>Show all %n photo(s)</source>
        <translation>
            <numerusform>Show %n photo</numerusform>
            <numerusform>Show all %n photos</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecordEdits</name>
    <message numerus="yes">
        <source>%n change(s) saved on this computer. They will be sent when you log in again.</source>
        <translation>
            <numerusform>%n change saved on this computer. It will be sent when you log in again.</numerusform>
            <numerusform>%n changes saved on this computer. They will be sent when you log in again.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecordPhotos</name>
    <message numerus="yes">
        <source>%n item(s) · {share}</source>
        <translation>
            <numerusform>%n item · {share}</numerusform>
            <numerusform>%n items · {share}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Photo of %n item(s)</source>
        <translation>
            <numerusform>Photo of %n item</numerusform>
            <numerusform>Photo of %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The photo shows the regions of %n item(s), with a confidence of {share}%. Accept, or select other items.</source>
        <translation>
            <numerusform>The photo shows the regions of %n item, with a confidence of {share}%. Accept, or select other items.</numerusform>
            <numerusform>The photo shows the regions of %n items, with a confidence of {share}%. Accept, or select other items.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{names} and %n more</source>
        <translation>
            <numerusform>{names} and %n more</numerusform>
            <numerusform>{names} and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecordPhotosController</name>
    <message numerus="yes">
        <source>Remove %n photo(s) from record?</source>
        <translation>
            <numerusform>Remove %n photo from record?</numerusform>
            <numerusform>Remove %n photos from record?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecordTopBar</name>
    <message numerus="yes">
        <source>%n conflicting change(s)</source>
        <translation>
            <numerusform>%n conflicting change</numerusform>
            <numerusform>%n conflicting changes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecordsPage</name>
    <message numerus="yes">
        <source>%n record(s)</source>
        <translation>
            <numerusform>%n record</numerusform>
            <numerusform>%n records</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n record(s) exported.</source>
        <translation>
            <numerusform>%n record exported.</numerusform>
            <numerusform>%n records exported.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RegionFilesController</name>
    <message numerus="yes">
        <source>%n other shape(s) converted to bounding rectangles.</source>
        <translation>
            <numerusform>%n other shape converted to its bounding rectangle.</numerusform>
            <numerusform>%n other shapes converted to bounding rectangles.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n region(s) imported.</source>
        <translation>
            <numerusform>%n region imported.</numerusform>
            <numerusform>%n regions imported.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message numerus="yes">
        <source>%n ignored area(s)</source>
        <translation>
            <numerusform>%n ignored area</numerusform>
            <numerusform>%n ignored areas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n known variation(s) not reported, by {photos}</source>
        <translation>
            <numerusform>%n known variation not reported, by {photos}</numerusform>
            <numerusform>%n known variations not reported, by {photos}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n photo</numerusform>
            <numerusform>%n photos</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReviewDialog</name>
    <message numerus="yes">
        <source>Accept for %n photo(s)</source>
        <translation>
            <numerusform>Accept for %n photo</numerusform>
            <numerusform>Accept for %n photos</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SampleController</name>
    <message numerus="yes">
        <source>Sample inspection deleted. %n catalogue entry(s) kept, in use by other entries.</source>
        <translation>
            <numerusform>Sample inspection deleted. %n catalogue entry kept, in use by other entries.</numerusform>
            <numerusform>Sample inspection deleted. %n catalogue entries kept, in use by other entries.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SaveMark</name>
    <message numerus="yes">
        <source>%n change(s) not saved</source>
        <translation>
            <numerusform>%n change not saved</numerusform>
            <numerusform>%n changes not saved</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n unsent change(s)</source>
        <translation>
            <numerusform>%n unsent change</numerusform>
            <numerusform>%n unsent changes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Offline, %n unsent change(s)</source>
        <translation>
            <numerusform>Offline, %n unsent change</numerusform>
            <numerusform>Offline, %n unsent changes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saving %n change(s)</source>
        <translation>
            <numerusform>Saving %n change</numerusform>
            <numerusform>Saving %n changes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Seal</name>
    <message numerus="yes">
        <source>%n photo(s) are not assigned to any item.</source>
        <translation>
            <numerusform>%n photo is not assigned to any item.</numerusform>
            <numerusform>%n photos are not assigned to any item.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Model&apos;s opinion accepted for %n item(s)</source>
        <translation>
            <numerusform>Model&apos;s opinion accepted for %n item</numerusform>
            <numerusform>Model&apos;s opinion accepted for %n items</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SessionList</name>
    <message numerus="yes">
        <source>%n session(s) ended.</source>
        <translation>
            <numerusform>%n session ended.</numerusform>
            <numerusform>%n sessions ended.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SharedPhotoController</name>
    <message numerus="yes">
        <source>{photo} · shared with %n other item(s)</source>
        <translation>
            <numerusform>{photo} · shared with %n other item</numerusform>
            <numerusform>{photo} · shared with %n other items</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SkippedItemsBanner</name>
    <message numerus="yes">
        <source>%n undecided item(s) skipped: the result is up to date.</source>
        <translation>
            <numerusform>%n undecided item skipped: the result is up to date.</numerusform>
            <numerusform>%n undecided items skipped: their results are up to date.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StartDialog</name>
    <message numerus="yes">
        <source>%n region(s) imported.</source>
        <translation>
            <numerusform>%n region imported.</numerusform>
            <numerusform>%n regions imported.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TemplateController</name>
    <message numerus="yes">
        <source>%n region(s) saved as template of {name}.</source>
        <translation>
            <numerusform>%n region saved as template of {name}.</numerusform>
            <numerusform>%n regions saved as template of {name}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It will be replaced with the %n region(s) of this record.</source>
        <translation>
            <numerusform>It will be replaced with the %n region of this record.</numerusform>
            <numerusform>It will be replaced with the %n regions of this record.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name} already has a template with %n region(s).</source>
        <translation>
            <numerusform>{name} already has a template with %n region.</numerusform>
            <numerusform>{name} already has a template with %n regions.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message numerus="yes">
        <source>%n photo(s)</source>
        <translation>
            <numerusform>%n photo</numerusform>
            <numerusform>%n photos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) to assign manually.</source>
        <translation>
            <numerusform>%n photo to assign manually.</numerusform>
            <numerusform>%n photos to assign manually.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Accept for %n item(s)</source>
        <translation>
            <numerusform>Accept for %n item</numerusform>
            <numerusform>Accept for %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Assign to %n selected item(s)</source>
        <translation>
            <numerusform>Assign to selected item</numerusform>
            <numerusform>Assign to %n selected items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Regions of %n item(s) found in {photos}.</source>
        <translation>
            <numerusform>Regions of %n item found in {photos}.</numerusform>
            <numerusform>Regions of %n items found in {photos}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Searching %n photo(s) for regions…</source>
        <translation>
            <numerusform>Searching %n photo for regions…</numerusform>
            <numerusform>Searching %n photos for regions…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The service is not responding. %n file(s) will be uploaded when it is back.</source>
        <translation>
            <numerusform>The service is not responding. %n file will be uploaded when it is back.</numerusform>
            <numerusform>The service is not responding. %n files will be uploaded when it is back.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Uploading %n file(s)…</source>
        <translation>
            <numerusform>Uploading %n file…</numerusform>
            <numerusform>Uploading %n files…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Trend</name>
    <message numerus="yes">
        <source>%n inspection(s), {first} to {last}.</source>
        <translation>
            <numerusform>%n inspection, {first} to {last}.</numerusform>
            <numerusform>%n inspections, {first} to {last}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrialDialog</name>
    <message numerus="yes">
        <source>%n detection(s) in {seconds} s</source>
        <translation>
            <numerusform>%n detection in {seconds} s</numerusform>
            <numerusform>%n detections in {seconds} s</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>UninspectedItems</name>
    <message numerus="yes">
        <source>%n passed item(s) were not inspected completely.</source>
        <translation>
            <numerusform>%n passed item was not inspected completely.</numerusform>
            <numerusform>%n passed items were not inspected completely.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>UsedPhotos</name>
    <message numerus="yes">
        <source>Add %n used photo(s)?</source>
        <translation>
            <numerusform>Add %n used photo?</numerusform>
            <numerusform>Add %n used photos?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>VerdictBox</name>
    <message numerus="yes">
        <source>The reason needs at least %n character(s).</source>
        <translation>
            <numerusform>The reason needs at least %n character.</numerusform>
            <numerusform>The reason needs at least %n characters.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WatchBar</name>
    <message numerus="yes">
        <source>%n file(s) cannot be read as images.</source>
        <translation>
            <numerusform>%n file cannot be read as an image.</numerusform>
            <numerusform>%n files cannot be read as images.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) added.</source>
        <translation>
            <numerusform>%n photo added.</numerusform>
            <numerusform>%n photos added.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n photo(s) waiting.</source>
        <translation>
            <numerusform>%n photo waiting.</numerusform>
            <numerusform>%n photos waiting.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Include %n older photo(s)</source>
        <translation>
            <numerusform>Include %n older photo</numerusform>
            <numerusform>Include %n older photos</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WebhookSection</name>
    <message numerus="yes">
        <source>%n webhook(s) paused: no delivery succeeded for a day. Correct the address or the receiver, then resume.</source>
        <translation>
            <numerusform>%n webhook paused: no delivery succeeded for a day. Correct the address or the receiver, then resume.</numerusform>
            <numerusform>%n webhooks paused: no delivery succeeded for a day. Correct the addresses or the receivers, then resume.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message numerus="yes">
        <source>%n finding(s) selected</source>
        <translation>
            <numerusform>%n finding selected</numerusform>
            <numerusform>%n findings selected</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n region(s) selected</source>
        <translation>
            <numerusform>%n region selected</numerusform>
            <numerusform>%n regions selected</numerusform>
        </translation>
    </message>
</context>
</TS>
