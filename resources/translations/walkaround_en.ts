<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US">
<context>
    <name>Accepted</name>
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
        <source>In the last %n day(s)</source>
        <translation>
            <numerusform>In the last day</numerusform>
            <numerusform>In the last %n days</numerusform>
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
        <source>%n detection(s) done</source>
        <translation>
            <numerusform>%n detection done</numerusform>
            <numerusform>%n detections done</numerusform>
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
    <name>CheckDialog</name>
    <message numerus="yes">
        <source>Edition {n}, seal {seal}…, %n file(s) compared.</source>
        <translation>
            <numerusform>Edition {n}, seal {seal}…, %n file compared.</numerusform>
            <numerusform>Edition {n}, seal {seal}…, %n files compared.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Correcting</name>
    <message numerus="yes">
        <source>%n change(s) of findings restored that you had not saved.</source>
        <translation>
            <numerusform>%n change of findings restored that you had not saved.</numerusform>
            <numerusform>%n changes of findings restored that you had not saved.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CorrectionBar</name>
    <message numerus="yes">
        <source>%n change(s), not saved yet</source>
        <translation>
            <numerusform>%n change, not saved yet</numerusform>
            <numerusform>%n changes, not saved yet</numerusform>
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
    <name>Deleting</name>
    <message numerus="yes">
        <source>%n locked item(s) not deleted. Unlock first ({keys}).</source>
        <translation>
            <numerusform>%n locked item was not deleted. Unlock it first ({keys}).</numerusform>
            <numerusform>%n locked items were not deleted. Unlock them first ({keys}).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Detecting</name>
    <message numerus="yes">
        <source>%n item(s) left out: without a photo or a model.</source>
        <translation>
            <numerusform>%n item left out: without a photo or a model.</numerusform>
            <numerusform>%n items left out: without a photo or a model.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Dropping</name>
    <message numerus="yes">
        <source>Add %n photo(s)?</source>
        <translation>
            <numerusform>Add %n photo?</numerusform>
            <numerusform>Add %n photos?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Edits</name>
    <message numerus="yes">
        <source>%n edit(s) kept on this machine, sent when you log in again.</source>
        <translation>
            <numerusform>%n edit kept on this machine, sent when you log in again.</numerusform>
            <numerusform>%n edits kept on this machine, sent when you log in again.</numerusform>
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
        <source>%n item(s) are being detected: {names}. Wait or cancel it first.</source>
        <translation>
            <numerusform>%n item is being detected: {names}. Wait or cancel it first.</numerusform>
            <numerusform>%n items are being detected: {names}. Wait or cancel it first.</numerusform>
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
        <source>Too many tries. Try again in %n second(s).</source>
        <translation>
            <numerusform>Too many tries. Try again in %n second.</numerusform>
            <numerusform>Too many tries. Try again in %n seconds.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Exchange</name>
    <message numerus="yes">
        <source>%n other shape(s) became the rectangle around them.</source>
        <translation>
            <numerusform>%n other shape became the rectangle around it.</numerusform>
            <numerusform>%n other shapes became the rectangles around them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n outside the picture left out.</source>
        <translation>
            <numerusform>%n outside the picture left out.</numerusform>
            <numerusform>%n outside the picture left out.</numerusform>
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
    <name>Exporting</name>
    <message numerus="yes">
        <source>%n picture(s) are not in the export: the service does not have them.</source>
        <translation>
            <numerusform>%n picture is not in the export: the service does not have it.</numerusform>
            <numerusform>%n pictures are not in the export: the service does not have them.</numerusform>
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
        <source>%n pair(s) of different people look alike enough to be taken for each other. Enrol these people anew in better light, or switch face login off.</source>
        <translation>
            <numerusform>One pair of different people looks alike enough to be taken for each other. Enrol these people anew in better light, or switch face login off.</numerusform>
            <numerusform>%n pairs of different people look alike enough to be taken for each other. Enrol these people anew in better light, or switch face login off.</numerusform>
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
    <name>FindingsBox</name>
    <message numerus="yes">
        <source>%n finding(s) below the slider; reports contain all</source>
        <translation>
            <numerusform>%n finding below the slider; reports contain all</numerusform>
            <numerusform>%n findings below the slider; reports contain all</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FinishDialog</name>
    <message numerus="yes">
        <source>%n item(s) failed.</source>
        <translation>
            <numerusform>%n item failed.</numerusform>
            <numerusform>%n items failed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) have no opinion to accept. Decide them first.</source>
        <translation>
            <numerusform>%n item has no opinion to accept. Decide it first.</numerusform>
            <numerusform>%n items have no opinion to accept. Decide them first.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) have no verdict of a person.</source>
        <translation>
            <numerusform>%n item has no verdict of a person.</numerusform>
            <numerusform>%n items have no verdict of a person.</numerusform>
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
    <name>Keeping</name>
    <message numerus="yes">
        <source>%n region(s) kept as the template of {name}.</source>
        <translation>
            <numerusform>%n region kept as the template of {name}.</numerusform>
            <numerusform>%n regions kept as the template of {name}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It is replaced by the %n region(s) of this record.</source>
        <translation>
            <numerusform>It is replaced by the %n region of this record.</numerusform>
            <numerusform>It is replaced by the %n regions of this record.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name} has a template of %n region(s).</source>
        <translation>
            <numerusform>{name} has a template of %n region.</numerusform>
            <numerusform>{name} has a template of %n regions.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message numerus="yes">
        <source>%n photo(s) have not reached the service yet and are not kept for the next start.</source>
        <translation>
            <numerusform>%n photo has not reached the service yet and is not kept for the next start.</numerusform>
            <numerusform>%n photos have not reached the service yet and are not kept for the next start.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>NewRecord</name>
    <message numerus="yes">
        <source>From the template of the reference image, %n region(s)</source>
        <translation>
            <numerusform>From the template of the reference image, %n region</numerusform>
            <numerusform>From the template of the reference image, %n regions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OwnFile</name>
    <message numerus="yes">
        <source>Not on the reference image of the record: %n item(s), this one on {name}.</source>
        <translation>
            <numerusform>This item is not on the reference image of the record but on {name}.</numerusform>
            <numerusform>%n items are not on the reference image of the record; this one is on {name}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Pager</name>
    <message numerus="yes">
        <source>%n in all</source>
        <translation>
            <numerusform>%n in all</numerusform>
            <numerusform>%n in all</numerusform>
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
    <name>RecordPhotos</name>
    <message numerus="yes">
        <source>Photo of %n item(s)</source>
        <translation>
            <numerusform>Photo of %n item</numerusform>
            <numerusform>Photo of %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Remove %n photo(s) from the record?</source>
        <translation>
            <numerusform>Remove %n photo from the record?</numerusform>
            <numerusform>Remove %n photos from the record?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Shows %n item(s)</source>
        <translation>
            <numerusform>Shows %n item</numerusform>
            <numerusform>Shows %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The photo shows the regions of %n item(s). Accept it, or choose others.</source>
        <translation>
            <numerusform>The photo shows the regions of %n item. Accept it, or choose others.</numerusform>
            <numerusform>The photo shows the regions of %n items. Accept it, or choose others.</numerusform>
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
    <name>RecordsPage</name>
    <message numerus="yes">
        <source>%n record(s)</source>
        <translation>
            <numerusform>%n record</numerusform>
            <numerusform>%n records</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n record(s) written.</source>
        <translation>
            <numerusform>%n record written.</numerusform>
            <numerusform>%n records written.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Recovered</name>
    <message numerus="yes">
        <source>The program ended unexpectedly. %n edit(s) were not sent; they are kept.</source>
        <translation>
            <numerusform>The program ended unexpectedly. %n edit was not sent; it is kept.</numerusform>
            <numerusform>The program ended unexpectedly. %n edits were not sent; they are kept.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Review</name>
    <message numerus="yes">
        <source>Accept for %n photo(s)</source>
        <translation>
            <numerusform>Accept for %n photo</numerusform>
            <numerusform>Accept for %n photos</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SaveMark</name>
    <message numerus="yes">
        <source>%n edit(s) kept here</source>
        <translation>
            <numerusform>%n edit kept here</numerusform>
            <numerusform>%n edits kept here</numerusform>
        </translation>
    </message>
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
<context>
    <name>Seal</name>
    <message numerus="yes">
        <source>Model&apos;s opinion accepted for %n item(s)</source>
        <translation>
            <numerusform>Model&apos;s opinion accepted for %n item</numerusform>
            <numerusform>Model&apos;s opinion accepted for %n items</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sharing</name>
    <message numerus="yes">
        <source>{photo} · shared with %n other item(s)</source>
        <translation>
            <numerusform>{photo} · shared with %n other item</numerusform>
            <numerusform>{photo} · shared with %n other items</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Top</name>
    <message numerus="yes">
        <source>%n edit(s) to decide</source>
        <translation>
            <numerusform>%n edit to decide</numerusform>
            <numerusform>%n edits to decide</numerusform>
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
        <source>%n photo(s) wait to be assigned by hand.</source>
        <translation>
            <numerusform>%n photo waits to be assigned by hand.</numerusform>
            <numerusform>%n photos wait to be assigned by hand.</numerusform>
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
        <source>Assign to %n chosen item(s)</source>
        <translation>
            <numerusform>Assign to %n chosen item</numerusform>
            <numerusform>Assign to %n chosen items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Looking for the regions in %n photo(s)…</source>
        <translation>
            <numerusform>Looking for the regions in %n photo…</numerusform>
            <numerusform>Looking for the regions in %n photos…</numerusform>
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
        <source>Sending %n photo(s)…</source>
        <translation>
            <numerusform>Sending %n photo…</numerusform>
            <numerusform>Sending %n photos…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The service does not answer. %n photo(s) are sent when it is back.</source>
        <translation>
            <numerusform>The service does not answer. %n photo is sent when it is back.</numerusform>
            <numerusform>The service does not answer. %n photos are sent when it is back.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message numerus="yes">
        <source>%n finding(s) chosen</source>
        <translation>
            <numerusform>%n finding chosen</numerusform>
            <numerusform>%n findings chosen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n region(s) chosen</source>
        <translation>
            <numerusform>%n region chosen</numerusform>
            <numerusform>%n regions chosen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WorkbenchPage</name>
    <message numerus="yes">
        <source>%n undecided item(s) already have a current result and were left out.</source>
        <translation>
            <numerusform>%n undecided item already has a current result and was left out.</numerusform>
            <numerusform>%n undecided items already have a current result and were left out.</numerusform>
        </translation>
    </message>
</context>
</TS>
