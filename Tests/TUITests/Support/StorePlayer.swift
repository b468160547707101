import Capture
import Foundation
import ProxydHTTPModel
import ProxydOperations
import ProxydPresentation

@testable import ProxydTUI

/// Plays the interface on a store, without a terminal, threads or clock.
final class StorePlayer {
    private(set) var app = App(size: Size(columns: 120, rows: 40), clock: WallTime())
    private let rows: StoreRows
    private let now = DetailSamples.started &+ 60_000_000_000

    init(_ reader: StoreReader) {
        rows = StoreRows(reader)
        perform(app.start(ListScreen(), now: now))
    }

    var text: String { app.drawn(now: now).text }

    func update(_ message: Message) { perform(app.update(message, now: now)) }

    /// Does what the first keys of some actions do, and draws each time.
    func press(_ actions: ActionID...) {
        for id in actions {
            guard let key = ActionTable.all.first(where: { $0.id == id })?.keys.first else {
                continue
            }
            update(.input(.key(key)))
            _ = app.drawn(now: now)
        }
    }

    func type(_ text: String) { for character in text { update(.input(.key(Key(character)))) } }

    private func perform(_ commands: [Command]) {
        for case .start(let ticket, let work) in commands { run(ticket, work) }
    }

    private func run(_ ticket: WorkTicket, _ work: Work<WorkNews>) {
        let context = WorkContext(
            rows: rows, exchanges: rows, hostActions: HostActions(), now: now,
            isCancelled: { false })
        for news in work.played(context) { update(.news(ticket, news)) }
        update(.ended(ticket))
    }
}

/// A folder of its own that goes with the last reference.
final class TemporaryFolder: Sendable {
    let path =
        FileManager.default.temporaryDirectory.path + "/proxyd-tui-test-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The permission bits of a file in it.
    func mode(_ name: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }
}
