; The installer for Windows, made of the bundle by Inno Setup 6.3 or later:
;
;     iscc /DVersion=0.3.0 /DBundle=..\..\..\dist\walkaround /O..\..\..\dist walkaround.iss
;     iscc /DSign=name ... "/Sname=signtool.exe sign ... $f"      signs the program and the installer too
;
; Not run where the project is tested, which is Linux: .ci/windows.yml says what a machine with Windows does with it.
; Data lies in each user's %LOCALAPPDATA%\Walkaround, and an update or a removal leaves it alone.

#ifndef Version
  #error Name the version: /DVersion=...
#endif
#ifndef Bundle
  #define Bundle "..\..\..\dist\walkaround"
#endif

[Setup]
; Never changes: Windows knows by it that a newer file updates what is installed.
AppId={{6E0B7C53-7B0B-4F5B-9C6E-3C1D0A5B8177}
AppName=Walkaround
AppVersion={#Version}
AppVerName=Walkaround {#Version}
AppPublisher=Walkaround
VersionInfoVersion={#Version}
DefaultDirName={autopf}\Walkaround
DefaultGroupName=Walkaround
DisableProgramGroupPage=yes
OutputBaseFilename=walkaround-{#Version}-windows-x64-setup
SetupIconFile=..\..\..\build\icons\walkaround.ico
UninstallDisplayIcon={app}\walkaround.exe
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
; The oldest Windows that Qt 6.11 runs on: 10, version 1809.
MinVersion=10.0.17763
; For everyone on the machine, or with /CURRENTUSER for one user without rights of an administrator.
PrivilegesRequired=admin
PrivilegesRequiredOverridesAllowed=commandline dialog
; Asks to close the program, and starts it again after an update.
CloseApplications=yes
RestartApplications=yes
Compression=lzma2/max
SolidCompression=yes
LZMANumBlockThreads=4
WizardStyle=modern
#ifdef Sign
SignTool={#Sign}
SignedUninstaller=yes
#endif

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
; Not in every Inno Setup.
#ifexist AddBackslash(CompilerPath) + "Languages\ChineseSimplified.isl"
Name: "zh"; MessagesFile: "compiler:Languages\ChineseSimplified.isl"
#endif

[CustomMessages]
en.CommandLine=Add walkaround to the PATH
#ifexist AddBackslash(CompilerPath) + "Languages\ChineseSimplified.isl"
zh.CommandLine=将 walkaround 添加到 PATH
#endif

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: "path"; Description: "{cm:CommandLine}"; Flags: unchecked; Check: IsAdminInstallMode

[InstallDelete]
; What the version before had and this one lacks must not be loaded.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
#ifdef Sign
Source: "{#Bundle}\walkaround.exe"; DestDir: "{app}"; Flags: ignoreversion sign
#else
Source: "{#Bundle}\walkaround.exe"; DestDir: "{app}"; Flags: ignoreversion
#endif
Source: "{#Bundle}\_internal\*"; DestDir: "{app}\_internal"; Flags: ignoreversion recursesubdirs createallsubdirs
Source: "{#Bundle}\_internal\licences\NOTICE.txt"; DestDir: "{app}"; Flags: ignoreversion
Source: "..\..\..\CHANGELOG.md"; DestDir: "{app}"; Flags: ignoreversion

[Icons]
Name: "{group}\Walkaround"; Filename: "{app}\walkaround.exe"; WorkingDir: "{app}"
Name: "{autodesktop}\Walkaround"; Filename: "{app}\walkaround.exe"; WorkingDir: "{app}"; Tasks: desktopicon

[Registry]
Root: HKLM; Subkey: "SYSTEM\CurrentControlSet\Control\Session Manager\Environment"; ValueType: expandsz; \
    ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: IsNotOnPath(ExpandConstant('{app}'))

[Run]
Filename: "{app}\walkaround.exe"; Description: "{cm:LaunchProgram,Walkaround}"; Flags: nowait postinstall skipifsilent

[Code]
function IsNotOnPath(Folder: string): Boolean;
var
  Known: string;
begin
  if not RegQueryStringValue(HKLM, 'SYSTEM\CurrentControlSet\Control\Session Manager\Environment', 'Path', Known) then
    Known := '';
  Result := Pos(';' + Uppercase(Folder) + ';', ';' + Uppercase(Known) + ';') = 0;
end;
