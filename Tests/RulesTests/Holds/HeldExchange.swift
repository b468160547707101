import ProxydConfigurationText
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

/// Messages that a rule holds.
enum HeldExchange {
    /// The request of a text that a rule named `r` holds.
    /// - Parameters:
    ///   - options: Options beside `hold`.
    ///   - known: What is known of its body; nil: that of the text.
    static func request(
        _ text: String, _ options: String = "", body known: RuledBody? = nil
    ) throws -> HeldMessage {
        var run = try run("request", options)
        let (head, length, body) = try WireReader.request(Array(text.utf8))
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            throw RuleExchange.NotARequest()
        }
        let message = ForwardedRequest(head: head, url: url, body: length)
        let held = known ?? .whole(body)
        let step = run.request(message, body: held)
        guard case .decided(let decision) = step else { throw RuleExchange.NotARequest() }
        return try #require(
            run.held(decision, body: held, to: message, of: ExchangeID(rawValue: 7)))
    }

    /// A response that a rule named `r` holds, with what is known of its body; nil: that of the
    /// text.
    static func response(_ text: String, body known: RuledBody? = nil) throws -> HeldMessage {
        var run = try run("response", "")
        let (head, length, bytes) = try WireReader.response(Array(text.utf8), to: .get)
        let asking = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
        let request = try WireReader.request(Array(asking.utf8))
        guard case .forward(let url) = try EffectiveTarget.resolve(request.0, via: .proxy) else {
            throw RuleExchange.NotARequest()
        }
        let asked = ForwardedRequest(head: request.0, url: url, body: .none)
        _ = run.request(asked, body: .whole([]))
        let message = ForwardedResponse(head: head, body: length)
        let body = known ?? .whole(bytes)
        guard case .decided(let decision) = run.response(message, to: .get, body: body) else {
            throw RuleExchange.NotARequest()
        }
        return try #require(
            run.held(decision, body: body, to: asked, of: ExchangeID(rawValue: 7)))
    }

    private static func run(_ phase: String, _ options: String) throws -> RuleRun {
        let text = "[[rule]]\nname = \"r\"\n\(phase) = [{ hold = true\(options) }]\n"
        let rules = try RulesFile.read(text, file: "rules.toml", now: 0)
        let connection = RuledConnection(
            client: "127.0.0.1:5000", process: "curl", host: "a.test", port: 80, scheme: "http",
            startedAtNs: 0)
        var run = RuleRun(rules, connection, usage: CountedUsage(rules))
        run.isHoldingPossible = true
        return run
    }
}
