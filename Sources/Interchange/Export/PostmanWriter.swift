public import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Writes a Postman collection, version 2.1: a request per exchange, without its response.
public struct PostmanWriter: ExchangeWriting {
    private static let schema =
        "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

    private var isFirst = true
    /// The number of exchanges that are not requests to a server, or could not be read.
    public private(set) var withoutCommandCount = 0

    public init() {}

    public mutating func beginning() -> [UInt8] {
        var bytes: [UInt8] = Array(#"{"info":"#.utf8)
        JSONText.write(
            .members([
                ("name", .string("proxyd")), ("schema", .string(PostmanWriter.schema)),
            ]), into: &bytes)
        return bytes + Array(#","item":["#.utf8)
    }

    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        guard let item = item(captured) else {
            withoutCommandCount += 1
            return []
        }
        var bytes = Array((isFirst ? "\n" : ",\n").utf8)
        isFirst = false
        JSONText.write(item, into: &bytes)
        return bytes
    }

    public mutating func ending() -> [UInt8] { Array("\n]}\n".utf8) }

    private func item(_ captured: CapturedExchange) -> JSONValue? {
        let request = captured.exchange.request
        guard let head = request.head, let url = request.url, !head.isClassicConnect,
            !PostmanVariables.mayBe(in: url.host)
        else { return nil }
        let content = BodyContent(request.body, head.fields)
        let body = PostmanBody(content)
        var fields = head.fields.pairs.filter {
            !SnippetFields.framing.contains($0.name.lowercased())
        }
        if body.isDecoded { fields.removeAll { $0.name.lowercased() == "content-encoding" } }
        // Postman chooses the boundary of the form that it writes.
        if body.isForm { fields.removeAll { $0.name.lowercased() == "content-type" } }
        let fieldCount = fields.count
        fields.removeAll {
            PostmanVariables.mayBe(in: $0.name) || PostmanVariables.mayBe(in: $0.value)
        }
        let fieldRemark =
            fields.count < fieldCount
            ? "\(fieldCount - fields.count) headers with {{ are left out" : nil
        var members: [(String, JSONValue)] = [
            ("method", .string(head.method.rawValue)),
            (
                "header",
                .array(
                    fields.map {
                        .members([("key", .string($0.name)), ("value", .string($0.value))])
                    })
            ), ("url", PostmanWriter.url(url)),
        ]
        if let value = body.value { members.append(("body", value)) }
        let remarks = [
            captured.row.note, body.remark, fieldRemark, leftOut(captured),
        ].compactMap { $0 }
        if !remarks.isEmpty {
            members.append(("description", .string(remarks.joined(separator: "\n"))))
        }
        return .members([
            ("name", .string("\(head.method) \(PostmanVariables.defused(url.pathText))")),
            ("request", .members(members)),
            ("response", .array([])),
        ])
    }

    private func leftOut(_ captured: CapturedExchange) -> String? {
        let parts = captured.leftOut.filter { $0.hasPrefix("request") }
        return parts.isEmpty ? nil : "left out: \(parts.joined(separator: ", "))"
    }

    /// The segments of the path. One that starts with a colon would be a variable.
    private static func segments(_ url: RawURL) -> [String] {
        PostmanVariables.defused(url.pathText)
            .split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { $0.hasPrefix(":") ? "%3A\($0.dropFirst())" : String($0) }
    }

    private static func raw(_ url: RawURL) -> String {
        let path = segments(url).map { "/\($0)" }.joined()
        let query = url.queryText.map { "?\(PostmanVariables.defused($0))" } ?? ""
        return "\(url.scheme)://\(url.authority)\(path)\(query)"
    }

    private static func url(_ url: RawURL) -> JSONValue {
        let shown = url.host.utf8.contains(UInt8(ascii: ":")) ? "[\(url.host)]" : url.host
        let isName = !shown.hasPrefix("[")
        var members: [(String, JSONValue)] = [
            ("raw", .string(raw(url))), ("protocol", .string(url.scheme)),
            (
                "host",
                .strings(
                    isName
                        ? shown.split(separator: ".", omittingEmptySubsequences: false)
                            .map(String.init) : [shown])
            ),
        ]
        if url.port != RawURL.defaultPort(scheme: url.scheme) {
            members.append(("port", .string("\(url.port)")))
        }
        members.append(("path", .strings(segments(url))))
        if let query = url.queryText {
            // As written, because Postman sends it unchanged.
            let pairs = PostmanVariables.defused(query).split(
                separator: "&", omittingEmptySubsequences: false
            ).map {
                let parts = $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return JSONValue.members([
                    ("key", .string(String(parts[0]))),
                    ("value", parts.count == 2 ? .string(String(parts[1])) : .null),
                ])
            }
            members.append(("query", .array(pairs)))
        }
        return .members(members)
    }
}

/// Postman replaces `{{name}}` everywhere by a variable of its user, which may be a secret. There
/// is no known way to write the text itself.
private enum PostmanVariables {
    static func mayBe(in text: String) -> Bool { text.utf8.contains(twoOf: UInt8(ascii: "{")) }

    /// Part of a URL or form, written so that servers read the same.
    static func defused(_ text: String) -> String { text.replacing("{{", with: "%7B%7B") }

    /// JSON with the same meaning: braces are adjacent only within strings.
    static func defused(json text: String) -> String { text.replacing("{{", with: "{\\u007b") }
}

extension Sequence<UInt8> {
    fileprivate func contains(twoOf byte: UInt8) -> Bool {
        var isSecond = false
        for next in self {
            if next == byte, isSecond { return true }
            isSecond = next == byte
        }
        return false
    }
}

/// A body in Postman's form: text, the pairs of a form, or its parts.
private struct PostmanBody {
    let value: JSONValue?
    /// What is missing; nil if nothing is.
    let remark: String?
    let isForm: Bool
    let isDecoded: Bool

    init(_ content: BodyContent) {
        isDecoded = content.contentEncoding != nil && content.isDecoded
        var remark: String?
        if content.body.isTruncated {
            remark =
                "\(content.body.kept.count) of \(content.body.byteCount) bytes of the body "
                + "were kept"
        }
        let all = content.fields ?? []
        let fields = all.filter { !PostmanBody.mayHaveVariable($0) }
        if fields.count < all.count {
            remark = remark ?? "\(all.count - fields.count) fields with {{ are left out"
        }
        isForm = !all.isEmpty
        if content.body.kept.isEmpty {
            value = nil
        } else if let form = content.form,
            !form.contains(where: {
                PostmanVariables.mayBe(in: $0.0) || PostmanVariables.mayBe(in: $0.1 ?? "")
            })
        {
            value = .members([
                ("mode", .string("urlencoded")),
                (
                    "urlencoded",
                    .array(
                        form.map {
                            .members([("key", .string($0.0)), ("value", .string($0.1 ?? ""))])
                        })
                ),
            ])
        } else if isForm {
            value = .members([
                ("mode", .string("formdata")), ("formdata", .array(fields.map(PostmanBody.part))),
            ])
            if fields.contains(where: { $0.filename != nil }) {
                remark = remark ?? "files of the form are not part of this collection"
            }
        } else if let text = content.isDecoded ? content.text : nil {
            guard let text = PostmanBody.defused(text, content) else {
                value = nil
                self.remark = "the body has {{, which Postman would replace: it is left out"
                return
            }
            var members: [(String, JSONValue)] = [("mode", .string("raw")), ("raw", .string(text))]
            if content.kind == .json {
                let language = JSONValue.members([("language", .string("json"))])
                members.append(("options", .members([("raw", language)])))
            }
            value = .members(members)
        } else {
            value = .members([("mode", .string("file")), ("file", .members([("src", .null)]))])
            remark = "the body of \(content.body.byteCount) bytes is not text: it is left out"
        }
        self.remark = remark
    }

    /// The text without Postman's variables; nil if no such text has the same meaning.
    private static func defused(_ text: String, _ content: BodyContent) -> String? {
        guard PostmanVariables.mayBe(in: text) else { return text }
        if content.kind == .form { return PostmanVariables.defused(text) }
        guard content.json != nil else { return nil }
        let defused = PostmanVariables.defused(json: text)
        return PostmanVariables.mayBe(in: defused) ? nil : defused
    }

    private static func mayHaveVariable(_ field: BodyContent.FormField) -> Bool {
        field.bytes.contains(twoOf: UInt8(ascii: "{"))
            || [field.name, field.filename, field.contentType].contains {
                PostmanVariables.mayBe(in: $0 ?? "")
            }
    }

    private static func part(_ field: BodyContent.FormField) -> JSONValue {
        var members: [(String, JSONValue)] = [("key", .string(field.name ?? ""))]
        if let filename = field.filename {
            members += [("type", .string("file")), ("src", .string(filename))]
        } else {
            let text = ByteText().text(field.bytes.span)
            members += [("type", .string("text")), ("value", .string(text))]
        }
        if let type = field.contentType { members.append(("contentType", .string(type))) }
        return .members(members)
    }
}
