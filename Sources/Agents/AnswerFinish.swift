internal import ProxydExchangeContent
internal import ProxydParameterCoding
internal import ProxydRedaction
internal import ProxydTerminalText

/// The last step of every answer: credentials that are still in it are removed, hidden characters
/// are made visible, and it is cut to a length that agents can read.
struct AnswerFinish {
    /// The most bytes of an answer as JSON.
    static let byteCountMax = 64 << 10

    private static let depthMax = 48

    /// How much is kept of strings and arrays; each further step keeps less.
    private static let steps: [(textByteCount: Int, elementCount: Int)] = [
        (16 << 10, 500), (4 << 10, 200), (1 << 10, 100), (256, 50), (128, 20), (64, 5),
    ]

    private let redaction: Redaction?

    init(_ policy: AgentPolicy) { redaction = policy.redaction }

    func value(_ answer: ToolAnswer) -> JSONValue {
        var members = answer.members
        if let origin = answer.origin {
            members = members.map { ($0, safe($1)) }
            members += [("untrusted", .bool(true)), ("origin", .string(visible(origin)))]
        }
        let whole = JSONValue.members(members)
        if AnswerFinish.fits(whole) { return whole }
        let advice = [("shortened", JSONValue.bool(true)), ("advice", .string(answer.advice))]
        for step in AnswerFinish.steps {
            let shortened = JSONValue.members(
                members.map { name, value in
                    let short = AnswerFinish.cut(
                        value, step.textByteCount, step.elementCount, isFree: name == "value")
                    return (name, short)
                } + advice)
            if AnswerFinish.fits(shortened) { return shortened }
        }
        return .members(members.compactMap(AnswerFinish.bare) + advice)
    }

    /// The most bytes of an object in an answer that is too long in spite of all cuts.
    private static let bareObjectByteCountMax = 2 << 10

    /// A short member: lists become empty, texts are cut, and large objects are left out.
    private static func bare(_ member: (String, JSONValue)) -> (String, JSONValue)? {
        switch member.1 {
        case .array: (member.0, .array([]))
        case .object: MCPServer.text(member.1).count <= bareObjectByteCountMax ? member : nil
        case .string(let text): (member.0, .string(start(of: text, 256)))
        case .null, .bool, .number: member
        }
    }

    /// The text of a problem. One that is not ours may quote something captured.
    func message(_ problem: ToolProblem) -> String {
        let text = problem.description
        return AnswerFinish.start(of: problem.isOwn ? visible(text) : shown(text), 4 << 10)
    }

    // MARK: Safety

    /// Captured text without credentials, and with hidden characters made visible. Doing this twice
    /// changes nothing.
    func shown(_ text: String) -> String { visible(redaction?.text(text) ?? text) }

    /// A value with its texts shown that way, which every client can read: values nested too
    /// deeply, and numbers that are not exact as binary64, become text.
    func safe(_ value: JSONValue) -> JSONValue { safe(value, depth: 0) }

    private func safe(_ value: JSONValue, depth: Int) -> JSONValue {
        switch value {
        case .null, .bool: value
        case .number(let digits):
            AnswerFinish.isExact(digits) ? value : .string(String(digits.prefix(100)))
        case .string(let text): .string(shown(text))
        case .array where depth == AnswerFinish.depthMax,
            .object where depth == AnswerFinish.depthMax:
            .string(shown(String(decoding: MCPServer.text(value), as: UTF8.self)))
        case .array(let elements): .array(elements.map { safe($0, depth: depth + 1) })
        case .object(let members):
            .object(
                members.map {
                    .init(name: shown($0.name), value: safe($0.value, depth: depth + 1))
                })
        }
    }

    /// Whether programs that keep numbers as binary64 preserve the value of this one.
    private static func isExact(_ digits: String) -> Bool {
        if let whole = Int64(digits) { return whole.magnitude <= 1 << 53 }
        guard let number = Double(digits) else { return false }
        return number.isFinite && digits.utf8.count <= 24
    }

    /// Escapes control characters, invisible ones, and those that change the direction of text.
    private func visible(_ text: String) -> String { TerminalText.sanitize(text, layout: .data) }

    // MARK: Length

    private static func fits(_ value: JSONValue) -> Bool {
        MCPServer.text(value).count <= byteCountMax
    }

    /// - Parameter isFree: Whether it is a value of a captured body, which may have any type.
    private static func cut(
        _ value: JSONValue, _ textByteCount: Int, _ count: Int, isFree: Bool
    ) -> JSONValue {
        switch value {
        case .null, .bool, .number: value
        case .string(let text): .string(start(of: text, textByteCount))
        case .array(let elements):
            .array(
                elements.prefix(count).map { cut($0, textByteCount, count, isFree: isFree) }
                    + more(elements, count, isFree: isFree))
        case .object(let members):
            .object(
                members.prefix(max(count, 40)).map {
                    .init(
                        name: start(of: $0.name, textByteCount),
                        value: cut($0.value, textByteCount, count, isFree: isFree))
                })
        }
    }

    /// How many elements are missing, as an element of the same type; not in lists of objects,
    /// whose members the tool's schema names.
    private static func more(_ elements: [JSONValue], _ count: Int, isFree: Bool) -> [JSONValue] {
        guard elements.count > count else { return [] }
        let text = JSONValue.string("… \(elements.count - count) more elements")
        switch elements[0] {
        case .array where !isFree: return [.array([text])]
        case .object where !isFree: return []
        default: return [text]
        }
    }

    /// The start of a text, and how much is missing.
    private static func start(of text: String, _ byteCount: Int) -> String {
        guard text.utf8.count > byteCount else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: byteCount)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            text.utf8.formIndex(before: &end)
        }
        return text[..<end] + "… \(text.utf8.count - byteCount) more bytes"
    }
}
