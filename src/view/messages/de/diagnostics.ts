/** Diagnose. */
export const diagnostics = {
  'doctor.heading': 'Diagnose',
  'doctor.lead': 'Was Tabloom findet, wenn es sich selbst ansieht. Nichts davon wird irgendwohin gesendet.',
  'doctor.checking': 'Sieht nach …',
  'doctor.again': 'Noch einmal prüfen',
  'doctor.copy': 'Bericht kopieren',
  'doctor.copied':
    'Der Bericht wurde kopiert. Er enthält Lauf-IDs und Codes, keine Inhalte, Namen, Seiten oder Schlüssel.',
  'doctor.copyFailed':
    'Der Browser hat das Kopieren nicht erlaubt. Erlauben Sie den Zugriff auf die Zwischenablage und versuchen Sie es erneut.',
  'doctor.copyHelp':
    'Der Bericht, auf Englisch, ist für eine Fehlermeldung: Lauf-IDs und Codes, keine Inhalte, Namen, Seiten oder Schlüssel.',
  'doctor.testModel': 'Verbindung prüfen',
  'doctor.testing': 'Fragt das Modell nach einem Wort …',
  'doctor.checkedAt': 'Nachgesehen: {when}.',
  'doctor.allWell': 'Alles, was angesehen wurde, ist in Ordnung.',
  'doctor.someWarn': {
    one: 'Nichts ist fehlgeschlagen; {n} Zeile sollten Sie ansehen.',
    other: 'Nichts ist fehlgeschlagen; {n} Zeilen sollten Sie ansehen.',
  },
  'doctor.someFail': { one: '{n} Prüfung ist fehlgeschlagen.', other: '{n} Prüfungen sind fehlgeschlagen.' },
  'doctor.list': 'Prüfungen',
  'doctor.state.ok': 'OK',
  'doctor.state.warn': 'Ansehen',
  'doctor.state.fail': 'Fehler',

  'doctor.label.browser': 'Browser',
  'doctor.label.extension': 'Erweiterung',
  'doctor.label.worker': 'Hintergrund',
  'doctor.label.lock': 'Nur einer arbeitet',
  'doctor.label.faults': 'Störungen',
  'doctor.label.store': 'Datenbank',
  'doctor.label.space': 'Speicherplatz',
  'doctor.label.journals': 'Aufzeichnungen der Läufe',
  'doctor.label.secrets': 'Geheimnisse und Schlüssel',
  'doctor.label.sites': 'Seiten',
  'doctor.label.model': 'Modell',
  'doctor.label.connection': 'Verbindung',
  'doctor.label.alarm': 'Wecken',
  'doctor.label.watchdog': 'Wächter',
  'doctor.label.stop': 'Not-Halt',
  'doctor.label.runs': 'Offene Läufe',
  'doctor.label.stuck': 'Läufe, die stillstehen',

  'doctor.unlooked': 'Das ließ sich nicht ansehen: {message}',
  'doctor.unlookedNext': 'Prüfen Sie noch einmal; bleibt es so, laden Sie die Erweiterung neu.',

  'doctor.browser.ok': '{name} {version} ist neu genug (nötig: {minimum}).',
  'doctor.browser.plain': '{name} {version}.',
  'doctor.browser.unknown': 'Dieser Browser nennt seine Version nicht; nötig ist {minimum} oder neuer.',
  'doctor.browser.old': '{name} {version} ist zu alt: nötig ist {minimum} oder neuer.',
  'doctor.browser.update': 'Aktualisieren Sie den Browser.',
  'doctor.browser.compare': 'Sehen Sie die Version im Info-Fenster des Browsers nach.',

  'doctor.extension.ok': 'Tabloom {version}, {install}, ID {id}.',
  'doctor.extension.unpacked': 'aus einem Ordner geladen',
  'doctor.extension.normal': 'installiert',
  'doctor.extension.dev':
    'Tabloom {version} ist ein Entwicklungs-Build: größer, langsamer, und es lädt sich selbst neu.',
  'doctor.extension.devNext': 'Bauen Sie es mit npm run build und laden Sie stattdessen jenen Ordner.',
  'doctor.extension.loose':
    'Diese Kopie von Tabloom {version} hat keine feste Identität: Wird ihr Ordner verschoben, sind alle Daten weg.',
  'doctor.extension.looseNext': 'Laden Sie den Ordner, den npm run build erzeugt.',
  'doctor.extension.private':
    'Tabloom {version} läuft in einem privaten Fenster: Wird es geschlossen, ist alles verloren.',
  'doctor.extension.privateNext': 'Benutzen Sie Tabloom in einem gewöhnlichen Fenster.',

  'doctor.worker.ok': 'Gestartet {when}; alle Läufe waren nach {duration} wiederhergestellt.',
  'doctor.worker.lives': {
    one: 'Es ist sein erstes Leben seit dem Start des Browsers.',
    other: 'Es ist Leben {n} seit dem Start des Browsers; der Browser beendet ihn, wenn er nichts zu tun hat.',
  },
  'doctor.worker.starting': 'Er wurde {when} gestartet und ist noch nicht bereit.',
  'doctor.worker.startingNext': 'Warten Sie einen Moment und prüfen Sie noch einmal.',
  'doctor.worker.failed': 'Der Hintergrund konnte nicht starten: {message}',
  'doctor.worker.failedNext': 'Tun Sie, was die fehlgeschlagenen Zeilen sagen, und laden Sie die Erweiterung neu.',
  'doctor.worker.silent': 'Der Hintergrund antwortet nicht.',
  'doctor.worker.silentNext':
    'Laden Sie Tabloom auf der Erweiterungsseite des Browsers neu; bleibt es so, starten Sie den Browser neu. Läufe bleiben erhalten.',

  'doctor.lock.ok': 'Dieser Hintergrund allein treibt die Läufe an.',
  'doctor.lock.waiting': 'Ein anderer Hintergrund von Tabloom arbeitet noch, und dieser wartet auf ihn.',
  'doctor.lock.waitingNext':
    'Warten Sie einen Moment; bleibt es so, laden Sie die Erweiterung neu oder starten Sie den Browser neu.',
  'doctor.lock.unsupported':
    'Dieser Browser hat keine Web Locks; nur die Journale der Läufe halten einen zweiten Hintergrund fern.',
  'doctor.lock.unsupportedNext': 'Aktualisieren Sie den Browser.',

  'doctor.faults.ok': 'Keine Störung seit dem Start des Browsers.',
  'doctor.faults.some': 'Die letzte Störung war {when}: {message}',
  'doctor.faults.someNext':
    'Nichts Gespeichertes ist verloren. Kommt es wieder, melden Sie es mit dem Bericht dieser Seite.',
  'doctor.faults.withheld': '(Text weggelassen)',

  'doctor.store.ok':
    'Sie öffnet sich (Version {schema}); eine Probezeile wurde geschrieben, gelesen und entfernt. Sie enthält {counts}.',
  'doctor.store.runs': { one: '{n} Lauf', other: '{n} Läufe' },
  'doctor.store.events': { one: '{n} Ereignis', other: '{n} Ereignisse' },
  'doctor.store.files': { one: '{n} Datei', other: '{n} Dateien' },
  'doctor.store.failed': 'Die Datenbank lässt sich nicht öffnen: {message}',
  'doctor.store.failedNext':
    'Schließen Sie andere Tabloom-Seiten, aktualisieren Sie die Erweiterung und starten Sie dann den Browser neu. Entfernen Sie die Erweiterung nicht: Das löscht ihre Daten.',
  'doctor.store.probe': 'Die Datenbank öffnet sich, nimmt aber nichts an: {message}',
  'doctor.store.probeNext': 'Schaffen Sie Platz auf der Festplatte und starten Sie dann den Browser neu.',
  'doctor.store.older': 'Die Datenbank hat Version {schema}, und dieses Tabloom kennt Version {newest}.',

  'doctor.space.ok': '{usage} von {quota} belegt.',
  'doctor.space.unknown': 'Der Browser sagt nicht, wie viel Platz belegt ist.',
  'doctor.space.kept': 'Der Browser behält die Daten, auch wenn Platz knapp wird.',
  'doctor.space.loose': 'Der Browser darf die Daten löschen, wenn Platz knapp wird.',
  'doctor.space.full': '{usage} von {quota} belegt: Das sind {percent}.',
  'doctor.space.fullNext':
    'Schaffen Sie Platz auf der Festplatte, bevor der nächste Lauf beginnt: Ohne Platz lässt sich nichts aufzeichnen, und Läufe bleiben stehen.',

  'doctor.journals.none': 'Noch kein Lauf.',
  'doctor.journals.ok': {
    one: 'Die Aufzeichnung des letzten Laufs ist ganz: Kein Ereignis wurde geändert oder entfernt.',
    other: 'Die Aufzeichnungen der letzten {n} Läufe sind ganz: Kein Ereignis wurde geändert oder entfernt.',
  },
  'doctor.journals.cut': 'Die übrigen wurden ausgelassen, weil ihre Prüfung zu lange dauern würde.',
  'doctor.journals.broken': 'Die Aufzeichnung des Laufs {run} ist bei Ereignis {seq} gebrochen.',
  'doctor.journals.brokenNext':
    'Verlassen Sie sich nicht auf das, was diese Läufe von da an sagen. Brechen Sie offene ab und starten Sie sie neu; haben Sie selbst nichts an der Datenbank geändert, melden Sie das.',

  'doctor.secrets.none': 'Kein Geheimnis und kein Schlüssel ist gespeichert.',
  'doctor.secrets.ok': {
    one: '{n} gespeicherter Wert, und er lässt sich öffnen.',
    other: '{n} gespeicherte Werte, und alle lassen sich öffnen.',
  },
  'doctor.secrets.unreadable': {
    one: '{n} gespeicherter Wert lässt sich in diesem Profil nicht mehr öffnen.',
    other: '{n} gespeicherte Werte lassen sich in diesem Profil nicht mehr öffnen.',
  },
  'doctor.secrets.unreadableNext': 'Geben Sie die Schlüssel und Geheimnisse in den Einstellungen neu ein.',
  'doctor.secrets.unmet': 'Eingeschaltete Workflows brauchen Geheimnisse, die nicht gespeichert sind: {workflows}.',
  'doctor.secrets.unmetNext': 'Fügen Sie sie unter Einstellungen, Geheimnisse hinzu.',

  'doctor.sites.ok': {
    one: '{n} Seite ist freigegeben, und keine weitere wird gebraucht.',
    other: '{n} Seiten sind freigegeben, und keine weitere wird gebraucht.',
  },
  'doctor.sites.none': 'Keine Seite ist freigegeben, und keine wird gebraucht.',
  'doctor.sites.missing': 'Nicht freigegeben, aber gebraucht von dem, was eingeschaltet oder im Gange ist: {origins}.',
  'doctor.sites.missingNext': 'Öffnen Sie den Workflow in der App und geben Sie die Seite dort frei.',
  'doctor.sites.waiting': 'Läufe warten auf Zugriff auf {origins}: {runs}.',
  'doctor.sites.waitingNext':
    'Öffnen Sie das Popup oder den Lauf und geben Sie die Seite frei; der Lauf macht dann von selbst weiter.',

  'doctor.model.ok': 'Das Standardmodell ist {model}.',
  'doctor.model.accounts': { one: '{n} Konto.', other: '{n} Konten.' },
  'doctor.model.none': 'Kein Modell ist eingerichtet; Workflows ohne Rezept brauchen keines.',
  'doctor.model.noneNeeded': 'Kein Modell ist eingerichtet, aber eingeschaltete Workflows brauchen eines: {workflows}.',
  'doctor.model.noneNext': 'Fügen Sie unter Einstellungen, Modelle ein Konto und ein Standardmodell hinzu.',
  'doctor.model.noDefault': 'Es gibt ein Konto, aber kein Standardmodell.',
  'doctor.model.noDefaultNext': 'Nennen Sie unter Einstellungen, Modelle ein Standardmodell.',
  'doctor.model.unknown': 'Das Standardmodell {model} gehört zu keinem Konto.',
  'doctor.model.unknownNext':
    'Berichtigen Sie seinen Namen unter Einstellungen, Modelle, oder fügen Sie sein Konto hinzu.',
  'doctor.model.noKey': 'Das Konto {account} hat keinen API-Schlüssel, und das Standardmodell braucht ihn.',
  'doctor.model.noKeyNext': 'Geben Sie den Schlüssel unter Einstellungen, Modelle ein.',
  'doctor.model.noAddress': 'Das Konto {account} hat keine Adresse.',
  'doctor.model.noAddressNext': 'Geben Sie seine Basis-URL unter Einstellungen, Modelle ein.',
  'doctor.model.otherNoKey': 'Konten ohne den API-Schlüssel, den sie brauchen: {accounts}.',
  'doctor.model.unmet': 'Eingeschaltete Workflows nennen ein Modell, das sich nicht aufrufen lässt: {workflows}.',
  'doctor.model.unmetNext': 'Fügen Sie dieses Modell oder seinen Schlüssel unter Einstellungen, Modelle hinzu.',

  'doctor.connection.ok': '{model} hat geantwortet.',
  'doctor.connection.failed': '{model} hat nicht geantwortet. {message}',
  'doctor.connection.offline': 'Der Browser hat kein Netz.',
  'doctor.connection.offlineNext': 'Verbinden Sie diesen Rechner mit dem Netz und prüfen Sie dann noch einmal.',
  'doctor.connection.next.auth_failed':
    'Prüfen Sie den Schlüssel unter Einstellungen, Modelle; ein Server auf diesem Rechner muss außerdem diese Erweiterung zulassen.',
  'doctor.connection.next.quota_exceeded': 'Laden Sie Guthaben beim Anbieter auf, oder wählen Sie ein anderes Modell.',
  'doctor.connection.next.rate_limited': 'Warten Sie einen Moment und prüfen Sie noch einmal.',
  'doctor.connection.next.network':
    'Prüfen Sie die Adresse unter Einstellungen, Modelle, und ob der Server läuft; auch seine eigene CORS-Einstellung, eine Firewall oder ein Filter können ihn sperren.',
  'doctor.connection.next.timeout': 'Prüfen Sie, ob das Modell läuft und geladen ist, und prüfen Sie noch einmal.',
  'doctor.connection.next.provider_unavailable':
    'Versuchen Sie es später; bleibt es so, prüfen Sie die Adresse unter Einstellungen, Modelle.',
  'doctor.connection.next.bad_request': 'Prüfen Sie das Modell und sein Konto unter Einstellungen, Modelle.',
  'doctor.connection.next.notFound': 'Prüfen Sie den Namen des Modells und die Adresse unter Einstellungen, Modelle.',

  'doctor.alarm.none': 'Nichts ist fällig, also ist kein Wecken gestellt.',
  'doctor.alarm.ok': 'Fällig {due}; das Wecken ist auf {at} gestellt.',
  'doctor.alarm.missing': 'Etwas ist fällig {due}, und kein Wecken ist gestellt.',
  'doctor.alarm.late': 'Etwas ist fällig {due}, aber das Wecken ist erst auf {at} gestellt.',
  'doctor.alarm.next':
    'Laden Sie die Erweiterung neu; sie stellt ihr Wecken neu. Lassen Sie Tabloom bis dahin geöffnet.',
  'doctor.watchdog.idle': 'Kein Lauf arbeitet, also ist keiner nötig.',
  'doctor.watchdog.ok': 'Ein Lauf arbeitet, und der Wächter ist gestellt.',
  'doctor.watchdog.missing': 'Ein Lauf arbeitet ohne Wächter: Jetzt beendet, ginge er erst spät weiter.',
  'doctor.watchdog.next': 'Prüfen Sie noch einmal; bleibt es so, laden Sie die Erweiterung neu.',

  'doctor.stop.ok': 'Nicht aktiv.',
  'doctor.stop.on': 'Alles ist angehalten: Nichts beginnt, und keine Entscheidung wird angenommen.',
  'doctor.stop.onNext': 'Heben Sie den Halt im Popup auf und setzen Sie die Läufe dann einzeln fort.',

  'doctor.runs.none': 'Es gibt keinen.',
  'doctor.runs.some': { one: '{n} Lauf ist offen.', other: '{n} Läufe sind offen.' },
  'doctor.runs.waiting': { one: '{n} wartet auf Sie.', other: '{n} warten auf Sie.' },
  'doctor.runs.paused': { one: '{n} ist angehalten.', other: '{n} sind angehalten.' },
  'doctor.stuck.ok': 'Bei jedem Lauf, der angeblich läuft, ist auch etwas am Werk.',
  'doctor.stuck.some': 'Diese laufen angeblich, ohne dass etwas am Werk ist: {runs}.',
  'doctor.stuck.someNext': 'Laden Sie die Erweiterung neu; das stellt sie wieder her. Kommt es wieder, melden Sie es.',
  'doctor.stuck.unread': 'Diese lassen sich nicht lesen: {runs}.',
  'doctor.stuck.unreadNext': 'Brechen Sie sie ab, das geht immer, und starten Sie sie neu.',
};
