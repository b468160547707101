import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydOperations
import ProxydPresentation
import ProxydTestSupport
import Testing

@testable import Capture
@testable import ProxydTUI

/// Plays the interface without a terminal, threads or clock: keys in, screens out. Works run at
/// once unless they are held back.
final class Player {
    private(set) var app: App
    let rows: ScriptedRows
    var hostActions = HostActions()
    var now: Int64 = Rows.start + 60_000_000_000
    /// What the program around was asked for, besides works.
    private(set) var commands: [String] = []
    private(set) var copied: [CopiedText] = []
    private(set) var hasQuit = false
    /// What the editor was opened on last, and for which screen.
    private(set) var editing: (screen: Int, text: String)?
    /// Works of these slots wait for `runHeld`.
    var heldSlots: Set<String> = []
    private var held: [(WorkTicket, Work<WorkNews>)] = []

    init(
        _ rows: ScriptedRows, size: Size = Size(columns: 80, rows: 24),
        first: any ScreenModel = ListScreen(), hostActions: HostActions = HostActions()
    ) {
        self.rows = rows
        self.hostActions = hostActions
        app = App(size: size, clock: WallTime())
        perform(app.start(first, now: now))
    }

    convenience init(_ rows: [ExchangeRow], size: Size = Size(columns: 80, rows: 24)) {
        self.init(ScriptedRows(rows), size: size)
    }

    var screen: Screen { app.drawn(now: now) }
    var text: String { screen.text }
    var lines: [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func update(_ message: Message) { perform(app.update(message, now: now)) }
    func press(_ keys: Key...) { for key in keys { update(.input(.key(key))) } }
    func type(_ text: String) { for character in text { press(Key(character)) } }
    func mouse(_ kind: MouseEvent.Kind, column: Int, row: Int) {
        update(
            .input(
                .mouse(
                    MouseEvent(
                        kind: kind, button: .left, position: Position(column: column, row: row)))))
    }

    /// Comes back from the editor with a text; nil where nothing was saved.
    func edit(_ text: String?) {
        guard let editing else { return }
        update(
            .edited(screen: editing.screen, EditedText(bytes: text.map { Array($0.utf8) })))
    }

    /// Runs what was held back; those that were cancelled meanwhile tell no one.
    func runHeld() {
        let works = held
        held = []
        for (ticket, work) in works { run(ticket, work) }
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
            case .cancel(let ticket): self.commands.append("cancel \(ticket.slot)")
            case .copy(let text): copied.append(text)
            case .edit(let screen, let request):
                self.commands.append("edit")
                editing = (screen, String(decoding: request.bytes, as: UTF8.self))
            case .setMouse(let isOn): self.commands.append("mouse \(isOn)")
            case .redraw: self.commands.append("redraw")
            case .suspend: self.commands.append("suspend")
            case .quit: hasQuit = true
            }
        }
    }

    private func run(_ ticket: WorkTicket, _ work: Work<WorkNews>) {
        let context = WorkContext(
            rows: rows, exchanges: rows, hostActions: hostActions, now: now, isCancelled: { false })
        for news in work.played(context) { update(.news(ticket, news)) }
        update(.ended(ticket))
    }
}

extension Work<WorkNews> {
    /// Runs it immediately, on the test's thread; what it reports and what comes of it, in turn.
    func played(_ context: WorkContext) -> [WorkNews] {
        let reports = Reports()
        do {
            let result = try perform(context) { reports.add($0) }
            return reports.all + [result]
        } catch {
            return reports.all + [.failure("\(error)")]
        }
    }
}

/// What a work reported.
private final class Reports: @unchecked Sendable {
    // Proof: the player runs works on the test's own thread.
    private(set) var all: [WorkNews] = []

    func add(_ report: WorkNews) { all.append(report) }
}

/// Screens as they should be, in files beside the tests. `UPDATE_GOLDEN=1` writes them anew.
enum Golden {
    static func expect(
        _ text: String, _ name: String, location: SourceLocation = #_sourceLocation
    ) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Golden")
        let url = folder.appendingPathComponent(name + ".txt")
        let wanted = try GoldenFile.wanted(at: url, found: text + "\n")
        #expect(text + "\n" == wanted, "\(name)", sourceLocation: location)
    }
}
