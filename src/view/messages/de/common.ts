/** Wörter, die auf jeder Fläche vorkommen. */
export const common = {
  'common.retry': 'Erneut versuchen',
  'common.cancel': 'Abbrechen',
  'common.close': 'Schließen',
  'common.save': 'Speichern',
  'common.saving': 'Speichert …',
  'common.saved': 'Gespeichert.',
  'common.remove': 'Entfernen',
  'common.back': 'Zurück',
  'common.loading': 'Lädt …',
  'common.showMore': 'Mehr zeigen',
  'common.showLess': 'Weniger zeigen',
  'common.copy': 'Kopieren',
  'common.copied': 'Kopiert.',
  'common.yes': 'Ja',
  'common.no': 'Nein',
  'common.none': 'Keine',
  'common.empty': 'leer',
  'common.required': 'Pflichtfeld',
  'common.details': 'Einzelheiten',
  'common.error': 'Etwas ist schiefgegangen',
  'common.unreachable': 'Der Hintergrund von Tabloom antwortet nicht.',
  'common.unreachableNext':
    'Versuchen Sie es erneut; bleibt es dabei, laden Sie die Erweiterung auf der Erweiterungsseite des Browsers neu.',
  'common.cannotStart':
    'Tabloom kann nicht starten. Nichts Gespeichertes ist verloren; die Diagnose sagt, was nicht stimmt und was zu tun ist.',
  'common.slow':
    'Tablooms Hintergrund hat noch nicht geantwortet. Vielleicht ist er nur langsam; die Diagnose sagt, was ihn aufhält.',
  'common.diagnostics': 'Diagnose öffnen',
  'common.reconnecting': 'Verbindet sich wieder mit dem Hintergrund von Tabloom …',
  'common.items': { one: '{n} Eintrag', other: '{n} Einträge' },
  'common.fields': { one: '{n} Feld', other: '{n} Felder' },
  'common.rows': { one: '{n} Zeile', other: '{n} Zeilen' },
  'common.moreRows': { one: '{n} weitere Zeile zeigen', other: '{n} weitere Zeilen zeigen' },
  'common.characters': { one: '{n} Zeichen', other: '{n} Zeichen' },
  'conflict.draft':
    'In einem anderen Fenster wurde dieser Text inzwischen geändert. Was hier steht, wird erst behalten, wenn Sie wählen. Dort steht:',
  'conflict.take': 'Jenen Text nehmen',
  'conflict.keep': 'Meinen behalten',
  'common.wholeMessage': 'Die ganze Meldung',
  'common.errorCode': 'Code {code}',

  'app.name': 'Tabloom',
  'app.skip': 'Zum Inhalt springen',

  'state.idle': 'Bereit',
  'state.running': { one: '{n} Lauf arbeitet', other: '{n} Läufe arbeiten' },
  'state.waiting': { one: '{n} wartet auf Sie', other: '{n} warten auf Sie' },
  'state.stopped': 'Angehalten',
  'state.stopAll': 'Alles anhalten',
  'state.lift': 'Halt aufheben',
  'state.stoppedBanner':
    'Alles ist angehalten. Nichts startet, und keine Entscheidung wird angenommen, bis Sie den Halt aufheben; setzen Sie dann jeden Lauf einzeln fort.',
  'state.storageFull': 'Kein Platz mehr zum Speichern',
  'state.storageFullNext':
    'Der Browser hat keinen Platz mehr; deshalb kann nichts gespeichert werden und kein Lauf geht weiter. Schaffen Sie Speicherplatz; die Läufe gehen dann von selbst weiter.',
  'state.storageFails': 'Nichts kann gespeichert werden',
  'state.storageFailsNext': 'Gerade kann nichts gespeichert werden; deshalb geht kein Lauf weiter. {reason}',
  'state.stopping': 'Alle Läufe wurden angehalten.',
  'state.lifted': 'Der Halt wurde aufgehoben. Läufe bleiben pausiert, bis Sie sie fortsetzen.',

  'nav.openPanel': 'Seitenleiste',
  'nav.openApp': 'App öffnen',
  'nav.settings': 'Einstellungen',
  'nav.workflows': 'Workflows',
  'nav.runs': 'Läufe',
  'nav.approvals': 'Freigaben',
  'nav.library': 'Rezepte und Agenten',
  'nav.knowledge': 'Wissen',
  'nav.welcome': 'Willkommen',
  'nav.main': 'Hauptbereiche',

  'status.queued': 'Eingereiht',
  'status.running': 'Läuft',
  'status.waiting': 'Wartet',
  'status.paused': 'Pausiert',
  'status.completed': 'Fertig',
  'status.partial': 'Teilweise fertig',
  'status.failed': 'Fehlgeschlagen',
  'status.cancelled': 'Abgebrochen',
  'status.pending': 'Noch nicht begonnen',
  'status.skipped': 'Übersprungen',
  'status.degraded': 'Ersatz benutzt',
  'status.on': 'Ein',
  'status.off': 'Aus',
  'status.withProblems': { one: '{n} Problem', other: '{n} Probleme' },

  'json.expand': 'Aufklappen',
  'json.copied': 'Als JSON kopiert.',
  'json.copy': 'Als JSON kopieren',

  'refusal.approval_mismatch':
    'Was Ihnen gezeigt wurde, hat sich geändert. Prüfen Sie die Karte noch einmal, bevor Sie entscheiden.',
  'refusal.role_missing':
    'Ihnen fehlt die Rolle für diese Entscheidung. Fragen Sie jemanden, der sie hat, oder ändern Sie Ihre Rollen in den Einstellungen.',
  'refusal.approval_expired':
    'Diese Freigabe lief ab, bevor die Entscheidung ankam. Es wurde nichts getan; wiederholen Sie den Lauf, um neu gefragt zu werden.',
  'refusal.already_decided':
    'Dies wurde schon entschieden, hier oder in einem anderen Fenster. Ihre Antwort hat nichts geändert.',
  'refusal.tooLate.approved': 'Schon freigegeben von {by} am {at}. Ihre Antwort hat nichts geändert.',
  'refusal.tooLate.rejected': 'Schon abgelehnt von {by} am {at}. Ihre Antwort hat nichts geändert.',
  'refusal.tooLate.cancelled': 'Der Lauf wurde von {by} am {at} abgebrochen. Ihre Antwort hat nichts geändert.',
  'refusal.rule_not_allowed':
    'Dies lässt sich nicht für immer erlauben. Nehmen Sie das Häkchen weg und geben Sie es einmal frei.',
  'refusal.run_finished':
    'Der Lauf ist schon zu Ende, es wurde nichts geändert. Starten Sie ihn neu, wenn Sie ihn noch brauchen.',
  'refusal.run_missing': 'Diesen Lauf gibt es nicht mehr. Suchen Sie in der Liste der Läufe einen neueren.',
  'refusal.emergency_stop': 'Alles ist angehalten. Heben Sie zuerst den Halt auf und versuchen Sie es dann erneut.',
  'refusal.form_invalid':
    'Die Werte passen nicht zu dem, was dieser Schritt annimmt. Berichtigen Sie die markierten Felder und speichern Sie erneut.',
  'refusal.not_waiting': 'Dieser Schritt wartet nicht mehr, es gibt nichts zu beantworten.',
  'refusal.not_paused': 'Der Lauf ist nicht pausiert, es gibt nichts fortzusetzen.',
  'refusal.already_paused': 'Der Lauf ist schon pausiert.',
  'refusal.rolled_back': 'Dieser Lauf wurde zurückgerollt und lässt sich nicht wiederholen. Starten Sie einen neuen.',
  'refusal.workflow_disabled':
    'Dieser Workflow ist ausgeschaltet. Schalten Sie ihn in der App ein und starten Sie ihn dann.',
  'refusal.workflow_missing': 'Diesen Workflow gibt es nicht mehr. Importieren Sie ihn erneut, um ihn auszuführen.',
  'refusal.preflight_failed': 'Der Workflow kann noch nicht starten. Beheben Sie, was unten steht.',
  'refusal.input_invalid': 'Die Eingabe passt nicht zum Workflow. Berichtigen Sie die Felder und starten Sie erneut.',
  'refusal.key_conflict':
    'Es gibt schon einen Lauf mit diesem Schlüssel und anderer Eingabe. Nehmen Sie einen anderen Schlüssel.',
};
