import Foundation
import ProxydRules
import ProxydTestSupport
import Testing

/// The scenarios of holds that lie beside the repository, event by event.
struct HoldVectorTests {
    private struct Vectors: Decodable { let hold: [Scenario] }

    struct Scenario: Decodable {
        struct Rule: Decodable {
            let timeout_s: Int?
            let otherwise: String?
            let phase: String?
        }

        struct Limits: Decodable { let count_max: Int? }

        let id: String
        let rule: Rule
        let events: [String]
        let limits: Limits?
        let outcome: String
    }

    @Test func `every breakpoint scenario of the shared test vectors has the expected outcome`()
        throws
    {
        guard let file = RuleVectorFile.url else {
            try Test.cancel("the vectors of rules are not here")
        }
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        #expect(vectors.hold.count == 16)
        for scenario in vectors.hold {
            var play = try Play(scenario)
            for event in scenario.events { try play.perform(event) }
            #expect(play.outcome == scenario.outcome, "\(scenario.id)")
        }
    }

    /// One scenario on its way.
    private struct Play {
        private let scenario: Scenario
        private var ledger: HoldLedger
        private var now: Int64 = 0
        private(set) var outcome = ""
        private let message: HeldMessage

        init(_ scenario: Scenario) throws {
            self.scenario = scenario
            var limits = HoldLedger.Limits()
            limits.countMax = scenario.limits?.count_max ?? limits.countMax
            ledger = HoldLedger(limits)
            var options = scenario.rule.timeout_s.map { ", timeout_s = \($0)" } ?? ""
            options += scenario.rule.otherwise.map { ", otherwise = \"\($0)\"" } ?? ""
            let isHeadOnly = scenario.events.contains { $0.contains("head only") }
            if scenario.rule.phase == "response" {
                message = try HeldExchange.response(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", body: .endless)
            } else {
                message = try HeldExchange.request(
                    "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\na=1",
                    options, body: isHeadOnly ? .tooLarge : nil)
            }
            if scenario.events.contains(where: { $0.hasPrefix("held") }) {
                ledger.subscribe(Play.client("A"))
                ledger.subscribe(Play.client("B"))
            }
        }

        private static func client(_ name: Substring) -> HoldClient {
            HoldClient(rawValue: Int64(name.utf8.first ?? 0))
        }

        mutating func perform(_ event: String) throws {
            let parts = event.components(separatedBy: " -> ")
            let words = parts[0].split(separator: " ")
            if let name = words.first, name.hasSuffix(":") {
                let refusal = try refusal(of: name.dropLast(), Array(words.dropFirst()))
                let expected = parts.count > 1 ? parts[1] : nil
                #expect((refusal != nil) == (expected != nil), "\(scenario.id): \(event)")
                if let refusal, let expected {
                    #expect(Play.says(refusal, expected), "\(scenario.id): \(refusal)")
                }
            } else {
                pass(parts[0])
            }
            let effects = ledger.takeEffects()
            if let end = effects.ended.first { outcome = "held, \(end.end.detail)" }
        }

        /// What happens by itself.
        private mutating func pass(_ event: String) {
            switch event {
            case "request complete": hold(expecting: false)
            case _ where event.hasPrefix("held"): hold(expecting: true)
            case "2 s pass":
                now += 2_000_000_000
                ledger.expire(now: now)
            case "client closes": ledger.clientGone(HoldID(rawValue: 1))
            case "SIGTERM": ledger.stop()
            case "rule disabled": ledger.keepOnly(heldBy: .none)
            default: break  // What came of the message before it is held.
            }
        }

        private mutating func hold(expecting isHeld: Bool) {
            // A request is complete before it is held, too.
            if !isHeld, scenario.events.contains(where: { $0.hasPrefix("held") }),
                ledger.list(now: now, wallNow: 0).isEmpty
            {
                return
            }
            do throws(NotHeld) {
                _ = try ledger.hold(message, now: now, wallNow: 0)
                #expect(isHeld, "\(scenario.id)")
                outcome = "held"
            } catch {
                #expect(!isHeld, "\(scenario.id)")
                outcome = error.outcome.replacingOccurrences(of: "no one", with: "nobody")
            }
        }

        /// What an interface does, and the refusal that it gets.
        private mutating func refusal(
            of name: Substring, _ words: [Substring]
        ) throws -> HoldRefusal? {
            let client = Play.client(name)
            let id = HoldID(rawValue: words.count > 1 ? Int64(words[1]) ?? 0 : 0)
            do throws(HoldRefusal) {
                switch words[0] {
                case "subscribe": ledger.subscribe(client)
                case "claim": try ledger.claim(id, by: client, named: String(name))
                case "drop": try ledger.drop(id, by: client)
                case "answer":
                    try ledger.write(
                        .head, of: id, at: 0, Array("HTTP/1.1 200 OK\n\n".utf8), by: client)
                    let answer = try ledger.draft(id, by: client).answer()
                    try ledger.answer(id, with: answer, by: client)
                case "resume":
                    let isEdited = words.contains("with")
                    if words.contains("body") {
                        try ledger.write(.body, of: id, at: 0, Array("b".utf8), by: client)
                    }
                    let draft = try ledger.draft(id, by: client)
                    let content = try draft.content(isEdited: isEdited, actions: [])
                    try ledger.resume(id, as: content, by: client)
                default: ledger.leave(client, now: now)
                }
                return nil
            } catch {
                return error
            }
        }

        /// Whether a refusal is the one that a scenario names.
        private static func says(_ refusal: HoldRefusal, _ expected: String) -> Bool {
            switch refusal {
            case .bodyNotHeld: expected == "body not held"
            default: refusal.description.contains(expected)
            }
        }
    }
}
