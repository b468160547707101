internal import FoundationEssentials
internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydRules

/// A captured response that a rule is to serve from a file.
struct RuleMapping {
    /// The name of the exchange with the complete body.
    private let exchangeName: String
    private let response: Response
    /// The absolute path of the file for the body.
    let file: String
    /// The rule's name.
    let rule: String
    /// The change that appends the rule.
    let change: RuleChange

    /// - Parameters:
    ///   - output: Where the body is saved; nil for a name from the URL, in this directory.
    ///   - name: The rule's name; nil for `map` and the path.
    /// - Throws: `CommandFailure` if there is no complete body, or the file already exists.
    init(
        _ id: ExchangeID, _ reader: any ExchangeReading, output: String?, name: String?
    ) throws {
        let found = try StoreAccess.attempt { () throws(StoreError) in
            try reader.exchange(id, bodyByteCountMax: .max)
        }
        let named = try StoreAccess.attempt { () throws(StoreError) in try reader.name(of: id) }
        guard let found else { throw CommandFailure("there is no exchange \(named)") }
        guard let url = found.request.url, let response = found.response,
            let method = found.request.method
        else { throw CommandFailure("exchange \(named) has no response to serve") }
        guard !response.body.isTruncated else {
            throw CommandFailure("the body of exchange \(named) was not recorded completely")
        }
        exchangeName = named
        self.response = response
        file = URL(fileURLWithPath: output ?? RuleMapping.fileName(url)).path
        rule = name ?? "map \(url.pathText)"
        change = .add(
            name: rule,
            lines: RuleMapping.lines(
                rule, "method=\(method) host=\(url.host) path=\(RuleMapping.quoted(url.pathText))",
                serving: file, as: response.head.fields.value(.contentType)),
            place: .last)
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure("\(file) already exists: choose another name")
        }
    }

    private static func lines(
        _ rule: String, _ filter: String, serving file: String, as type: String?
    ) -> String {
        let headers = type.map { ", headers = \(["Content-Type: \($0)"].tomlText)" } ?? ""
        let table = "{ serve = \(file.tomlText)\(headers) }"
        return RuleShortForm.rule(rule, when: filter, actions: [(.request, table)])
    }

    /// Saves the body and adds the rule; if it cannot be added the file is removed.
    /// - Parameter add: Makes a change of rules.
    func make(_ add: (RuleChange) throws -> Void) throws {
        let decoded = BodyContent(response.body, response.head.fields)
        guard decoded.failure == nil else {
            throw CommandFailure("the body of exchange \(exchangeName) cannot be decoded")
        }
        let saved = try AtomicFile(file)
        saved.sink.write(decoded.bytes)
        try saved.commit()
        do {
            try add(change)
        } catch {
            try? FileManager.default.removeItem(atPath: file)
            throw error
        }
    }

    /// The result as a message for users.
    var words: String { "the rule \"\(rule)\" serves \(file)" }

    /// The last segment of a path, as far as it is a plain file name.
    private static func fileName(_ url: RawURL) -> String {
        let last = url.pathText.split(separator: "/").last ?? ""
        let plain = last.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        let name = plain.drop { $0 == "." }
        return name.isEmpty ? "index.html" : String(name)
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
