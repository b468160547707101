internal import FuzzSupport
internal import ProxydConfigurationText
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydRules

/// Rules and an exchange that they act on: a file is understood or refused with lines that it has,
/// and what rules make of a message is one message, whatever they are and whatever it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = FuzzInput(start, count).rest.split(
        separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    let text = String(decoding: parts[0], as: UTF8.self)
    let rules: RuleSet
    do throws(ConfigurationError) {
        rules = try RulesFile.read(text, file: "f", now: 0)
    } catch {
        let lineCount = text.utf8.count { $0 == 0x0A } + 1
        for problem in error.problems {
            let line = problem.location.split(separator: ":").last.flatMap { Int($0) } ?? 0
            require((1...lineCount).contains(line), "a mistake outside of the file: \(problem)")
        }
        return 0
    }
    guard parts.count > 1, let head = try? HeadParser.parseRequestHead(Array(parts[1])),
        case .forward(let url)? = try? EffectiveTarget.resolve(head, via: .proxy)
    else { return 0 }
    act(rules, head, url, body: parts.count > 2 ? Array(parts[2]) : [])
    return 0
}

private func act(_ rules: RuleSet, _ head: RequestHead, _ url: RawURL, body: [UInt8]) {
    let connection = RuledConnection(
        client: "127.0.0.1:1", process: nil, host: url.host, port: url.port, scheme: url.scheme,
        startedAtNs: 0)
    var run = RuleRun(rules, connection, usage: Unlimited())
    let length: BodyLength = body.isEmpty ? .none : .exactly(UInt64(body.count))
    let message = ForwardedRequest(head: head, url: url, body: length)
    var step = run.request(message, body: .whole(body))
    while case .serve = step { step = run.resume(nil) }
    guard case .decided(let decision) = step else {
        return require(false, "a request whose body is there is not decided")
    }
    var bytes: [UInt8] = []
    HTTP1HeadWriter.write(decision.message, into: &bytes)
    require((try? HeadParser.parseRequestHead(bytes)) != nil, "what is sent is no head")
    respond(&run, to: head.method, body)
}

private func respond(_ run: inout RuleRun, to method: HTTPMethod, _ body: [UInt8]) {
    let head = ResponseHead(
        status: 200, reason: "OK", fields: HeaderFields([("Content-Type", "application/json")]))
    let message = ForwardedResponse(head: head, body: .exactly(UInt64(body.count)))
    guard case .decided(let decision) = run.response(message, to: method, body: .whole(body))
    else { return require(false, "a response whose body is there is not decided") }
    var bytes: [UInt8] = []
    let recipient = HTTP1Recipient(version: .http11, requestMethod: method, isPersistent: true)
    HTTP1HeadWriter.write(decision.message, to: recipient, into: &bytes)
    require((try? HeadParser.parseResponseHead(bytes)) != nil, "what is answered is no head")
}

private final class Unlimited: RuleUsage {
    func claim(_ rule: Int) -> Bool { true }
}
