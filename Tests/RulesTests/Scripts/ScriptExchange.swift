import ProxydConfigurationText
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

/// A request, and a response to it, about which a rule named `r` asks the script `s`.
final class ScriptExchange {
    static let id = ExchangeID(rawValue: 41)

    private(set) var run: RuleRun
    private let request: ForwardedRequest
    private let requestBody: [UInt8]

    /// - Parameters:
    ///   - options: Options beside `run`.
    ///   - rest: More rules.
    init(_ request: String, _ options: String = "", rest: String = "") throws {
        let text = """
            [[script]]
            name = "s"
            command = ["hook"]
            [[rule]]
            name = "r"
            request = [{ run = "s"\(options) }]
            response = [{ run = "s"\(options) }]
            \(rest)
            """
        let rules = try RulesFile.read(text, file: "rules.toml", now: 0)
        let (head, length, body) = try WireReader.request(Array(request.utf8))
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            throw RuleExchange.NotARequest()
        }
        self.request = ForwardedRequest(head: head, url: url, body: length)
        requestBody = body
        let connection = RuledConnection(
            client: "127.0.0.1:5000", process: "curl", host: url.host, port: url.port,
            scheme: url.scheme, startedAtNs: 0)
        run = RuleRun(rules, connection, usage: CountedUsage(rules))
    }

    /// What the script is asked about the request, and the decision without its answer.
    func requestQuestion() throws -> (RequestDecision, ScriptQuestion?) {
        let step = run.request(request, body: .whole(requestBody))
        guard case .decided(var decision) = step else { throw RuleExchange.NotARequest() }
        let question = run.nextQuestion(
            &decision, body: .whole(requestBody), to: request, of: ScriptExchange.id)
        return (decision, question)
    }

    /// What becomes of the request when the script says this; `id` is 7 in it.
    func afterRequest(_ reply: String) throws -> RequestDecision {
        var (decision, question) = try requestQuestion()
        let asked = try #require(question)
        let end = try #require(asked.end(Array(reply.utf8), id: 7), "no answer: \(reply)")
        run.settle(&decision, asked, end)
        return decision
    }

    /// What the script is asked about a response, and the decision without its answer.
    func responseQuestion(_ response: String) throws -> (ResponseDecision, ScriptQuestion) {
        _ = try requestQuestion()
        let (head, length, body) = try WireReader.response(Array(response.utf8), to: .get)
        let message = ForwardedResponse(head: head, body: length)
        let step = run.response(message, to: .get, body: .whole(body))
        guard case .decided(var decision) = step else { throw RuleExchange.NotARequest() }
        let question = run.nextQuestion(
            &decision, body: .whole(body), to: request, of: ScriptExchange.id)
        return (decision, try #require(question))
    }

    /// What becomes of a response when the script says this; `id` is 7 in it.
    func after(_ response: String, _ reply: String) throws -> ResponseDecision {
        var (decision, question) = try responseQuestion(response)
        let end = try #require(question.end(Array(reply.utf8), id: 7), "no answer: \(reply)")
        run.settle(&decision, question, end)
        return decision
    }
}
