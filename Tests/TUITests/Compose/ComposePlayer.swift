import ProxydPresentation
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

/// Plays screens that send, write files and edit, over exchanges in memory. Works run immediately
/// unless they are held back.
final class ComposePlayer {
    private(set) var app: App
    let exchanges: ScriptedExchanges
    var hostActions = HostActions()
    var now = DetailSamples.started
    private(set) var copied: [CopiedText] = []
    private(set) var edited: [EditRequest] = []
    private(set) var cancelledSlots: [String] = []
    private var editingScreen = 0
    /// Works of these slots wait for `runHeld`.
    var heldSlots: Set<String> = []
    private var held: [(WorkTicket, Work<WorkNews>)] = []

    init(
        _ all: [Exchange], columns: Int = 80, rows: Int = 24,
        server: (ScriptedExchanges) -> ScriptedServer = { ScriptedServer($0) },
        first: (ScriptedExchanges) -> any ScreenModel = { _ in ListScreen() }
    ) {
        exchanges = ScriptedExchanges(all)
        hostActions.replaying = server(exchanges)
        app = App(size: Size(columns: columns, rows: rows), clock: WallTime())
        perform(app.start(first(exchanges), now: now))
    }

    var server: ScriptedServer? { hostActions.replaying as? ScriptedServer }
    var text: String { app.drawn(now: now).text }
    var top: (any ScreenModel)? { app.entries.last?.model }
    var depth: Int { app.entries.count }

    func update(_ message: Message) { perform(app.update(message, now: now)) }
    func press(_ keys: Key...) { for key in keys { update(.input(.key(key))) } }
    func type(_ text: String) { for character in text { press(Key(character)) } }
    func click(column: Int, row: Int) {
        let position = Position(column: column, row: row)
        update(.input(.mouse(MouseEvent(kind: .press, button: .left, position: position))))
    }

    /// The editor comes back with a text.
    func saveInEditor(_ text: String?) {
        update(
            .edited(screen: editingScreen, EditedText(bytes: text.map { Array($0.utf8) })))
    }

    /// Runs what was held back, as `isCancelled` has it.
    func runHeld(isCancelled: Bool = false) {
        let works = held
        held = []
        for (ticket, work) in works { run(ticket, work, isCancelled: isCancelled) }
    }

    private func perform(_ commands: [Command]) {
        for command in commands {
            switch command {
            case .start(let ticket, let work):
                if heldSlots.contains(work.slot) {
                    held.append((ticket, work))
                } else {
                    run(ticket, work)
                }
            case .cancel(let ticket): cancelledSlots.append(ticket.slot)
            case .copy(let text): copied.append(text)
            case .edit(let screen, let request):
                editingScreen = screen
                edited.append(request)
            default: break
            }
        }
    }

    private func run(_ ticket: WorkTicket, _ work: Work<WorkNews>, isCancelled: Bool = false) {
        let context = WorkContext(
            rows: exchanges, exchanges: exchanges, hostActions: hostActions, now: now,
            isCancelled: { isCancelled })
        for news in work.played(context) { update(.news(ticket, news)) }
        update(.ended(ticket))
    }
}
