import Synchronization

@testable import ProxydTUI
import ProxydOperations
import ProxydRules

/// Holds without a daemon: remembers what was decided.
final class ScriptedHolds: HoldHandling {
    private let log = Mutex<[String]>([])
    private let head: String
    private let content: String?
    /// Why opening a hold, or deciding about it, fails; nil where it does not.
    private let problem: String?

    init(head: String, content: String? = "", problem: String? = nil) {
        self.head = head
        self.content = content
        self.problem = problem
    }

    /// What was decided, in order.
    var decisions: [String] { log.withLock { $0 } }

    func note(_ text: String) { log.withLock { $0.append(text) } }

    func take(_ isOn: Bool) throws { note("take \(isOn)") }

    func intercept(_ intercept: Intercept?) throws {
        note("intercept \(intercept?.filter ?? "nothing")")
    }

    func open(_ hold: Int64) throws -> any OpenedHold {
        if let problem { throw WorkFailure(problem) }
        return Opened(self, hold, Array(head.utf8), content.map { Array($0.utf8) })
    }

    func resumeAll() throws -> Int {
        note("resume all")
        return 2
    }

    private final class Opened: OpenedHold {
        let head: [UInt8]
        let content: [UInt8]?
        private let holds: ScriptedHolds
        private let hold: Int64

        init(_ holds: ScriptedHolds, _ hold: Int64, _ head: [UInt8], _ content: [UInt8]?) {
            self.holds = holds
            self.hold = hold
            self.head = head
            self.content = content
        }

        private static func text(_ bytes: [UInt8]?) -> String {
            bytes.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        }

        func resume(head: [UInt8]?, content: [UInt8]?) throws {
            holds.note("resume \(hold) \(Opened.text(head)) \(Opened.text(content))")
        }

        func answer(head: [UInt8], content: [UInt8]) throws {
            holds.note("answer \(hold) \(Opened.text(head)) \(Opened.text(content))")
        }

        func drop() throws { holds.note("drop \(hold)") }
    }
}
