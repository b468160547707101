internal import Capture
internal import FuzzSupport
internal import ProxydOperations
internal import StoreSupport

@testable internal import ProxydPresentation
@testable internal import ProxydTUI

/// The interface without a terminal, threads or clock. Works run at once, but for those that would
/// do something to the world: a person may write any file.
final class TerminalPlay {
    /// Sequences of a terminal's own.
    static let sequences: [[UInt8]: Key] = [
        Array("\u{1B}[1~".utf8): Key(.home), Array("\u{1B}OM".utf8): .enter,
    ]

    private static let eventCountMax = 400
    private static let now = SampleExchanges.wallStart + 60_000_000_000

    private static let rows: StoreRows = {
        do {
            return try StoreRows(StoreReader(directory: SampleExchanges.store()))
        } catch {
            fatalError("no store for the fuzzer: \(error)")
        }
    }()

    private var app: App
    private var decoder = KeyDecoder(sequences: sequences)
    private var eventCount = 0
    private(set) var hasQuit = false

    init(_ size: Size) {
        app = App(size: size, clock: WallTime())
        perform(app.start(ListScreen(), now: TerminalPlay.now))
    }

    /// Takes what the terminal sent and draws; false where there was enough of it.
    func receive(_ bytes: [UInt8], pauses: Bool) -> Bool {
        var events = decoder.receive(bytes)
        if pauses { events += decoder.flush() }
        for event in events where !hasQuit {
            eventCount += 1
            guard eventCount <= TerminalPlay.eventCountMax else { return false }
            update(.input(event))
        }
        if pauses { update(.storeChanged) }
        look()
        return true
    }

    private func look() {
        let text = app.drawn(now: TerminalPlay.now).text
        let isSafe = text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F && !(0x80...0x9F).contains($0.value)
        }
        require(isSafe, "the screen shows a control")
    }

    private func update(_ message: Message) {
        perform(app.update(message, now: TerminalPlay.now))
    }

    private func perform(_ commands: [Command]) {
        for command in commands {
            switch command {
            case .start(let ticket, let work): run(ticket, work)
            case .edit(let screen, let request):
                let text = EditedText(bytes: request.bytes + Array("x\n".utf8))
                update(.edited(screen: screen, text))
            case .quit: hasQuit = true
            case .cancel, .copy, .setMouse, .redraw, .suspend: break
            }
        }
    }

    private func run(_ ticket: WorkTicket, _ work: Work<WorkNews>) {
        let rows = TerminalPlay.rows
        let context = WorkContext(
            rows: rows, exchanges: rows, hostActions: HostActions(), now: TerminalPlay.now,
            isCancelled: { false })
        do {
            guard [.rows, .counts, .details, .searches].contains(work.workQueue) else {
                throw WorkFailure("not here")
            }
            update(.news(ticket, try work.perform(context) { _ in }))
        } catch {
            update(.news(ticket, .failure("\(error)")))
        }
        update(.ended(ticket))
    }
}
