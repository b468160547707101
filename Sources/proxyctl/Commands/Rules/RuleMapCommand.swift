internal import ArgumentParser
internal import Capture
internal import Foundation
internal import ProxydCaptureModel
internal import ProxydConfigurationText
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydRules

/// `proxyctl rule map`: saves a captured body, and writes a rule that serves it from then on.
struct RuleMapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Save a captured response body, and serve it from now on.",
        discussion: """
            The body is saved decoded; the rule answers requests for the same method, host and \
            path with the file, as it is at that time: edit it and ask again.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions
    @Argument(help: ArgumentHelp("The exchange's number.", valueName: "id"))
    var id: Int64
    @Option(help: ArgumentHelp("Where to save the body; a name from the URL.", valueName: "file"))
    var output: String?
    @Option(help: ArgumentHelp("The rule's name; 'map' and the path.", valueName: "name"))
    var name: String?

    func run() throws {
        let reader: any ExchangeReading = try StoreAccess.reader(global.dataDirectory())
        let exchange = try StoreAccess.attempt { () throws(StoreError) in
            try reader.exchange(ExchangeID(rawValue: id), bodyByteCountMax: .max)
        }
        guard let exchange else { throw CommandFailure("there is no exchange \(id)") }
        guard let url = exchange.request.url, let response = exchange.response,
            let method = exchange.request.method
        else { throw CommandFailure("exchange \(id) has no response to serve") }
        guard !response.body.isTruncated else {
            throw CommandFailure("the body of exchange \(id) was not kept whole")
        }
        let file = URL(fileURLWithPath: output ?? RuleMapCommand.fileName(url)).path
        let rule = self.name ?? "map \(url.pathText)"
        var headers: [String] = []
        if let type = response.head.fields.value(.contentType) {
            headers.append("Content-Type: \(type)")
        }
        let table =
            "{ serve = \(file.tomlText)"
            + (headers.isEmpty ? "" : ", headers = \(headers.tomlText)") + " }"
        let filter = "method=\(method) host=\(url.host) path=\(RuleMapCommand.quoted(url.pathText))"
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure("\(file) is there already: give --output another name")
        }
        try options.access(global).edit {
            try $0.append(
                RuleShortForm.rule(rule, when: filter, actions: [(.request, table)]), named: rule)
            try save(response, to: file)
        }
        Report().line(StyledText("\(file) is served by the rule \"\(rule)\""))
    }

    private func save(_ response: Response, to file: String) throws {
        let decoded = BodyContent(response.body, response.head.fields)
        guard decoded.failure == nil else {
            throw CommandFailure("the body of exchange \(id) cannot be decoded")
        }
        let saved = try AtomicFile(file)
        saved.sink.write(decoded.octets)
        try saved.commit()
    }

    /// The last part of a path, as far as it is a plain name.
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
