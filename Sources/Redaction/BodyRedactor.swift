internal import ProxydCharsets
internal import ProxydCurlCommand
internal import ProxydExchangeContent
package import ProxydHTTPModel
internal import ProxydParameterCoding

/// Removes credentials from bodies of known formats, and removes bodies that cannot be parsed.
package struct BodyRedactor: Sendable {
    private static let placeholder = Redaction.placeholder
    /// Members that contain the name of what a member `value` beside them contains.
    private static let nameMembers: Set<String> = ["name", "key", "field"]

    private let names: SecretNames
    private let scanner: SecretScanner
    private let heads: HeadRedactor

    /// Creates a redactor that hides the values of these names.
    package init(_ names: SecretNames) {
        self.names = names
        scanner = SecretScanner(names)
        heads = HeadRedactor(names)
    }

    /// The change to a message's body. Opaque bodies are not content: tunnels, WebSockets.
    package func change(_ body: Body, _ fields: HeaderFields?, isOpaque: Bool) -> BodyChange {
        guard !body.kept.isEmpty else { return .unchanged }
        if isOpaque { return .removed }
        let content = BodyContent(body, fields)
        guard content.isDecoded else { return .removed }
        guard let charset = content.charset, charset.isKnown, isConverted(content.kind) else {
            return change(content.bytes, content.kind)
        }
        let change = change(content.utf8, content.kind)
        guard case .replaced(let text, let leftOut) = change else {
            // Who reads the bytes in another charset must not find more.
            return scanner.redacted(content.bytes) == nil ? change : .removed
        }
        let bytes = try? charset.encode(text, inPlaceOf: content.bytes)
        return bytes.map { .replaced($0, leftOut: leftOut) } ?? .removed
    }

    /// Whether names are looked for in the text of a body, and not in its bytes.
    private func isConverted(_ kind: BodyKind) -> Bool {
        switch kind {
        case .form, .multipart, .multipartForm: false
        default: true
        }
    }

    /// The change to a JSON text; it is removed if it is not valid JSON.
    func jsonChange(_ bytes: [UInt8]) -> BodyChange { change(bytes, .json) }

    private func change(_ bytes: [UInt8], _ kind: BodyKind) -> BodyChange {
        switch kind {
        case .empty, .css, .audio, .video, .font: return .unchanged
        case .image(let subtype) where !subtype.hasSuffix("xml"):
            return .unchanged
        case .form:
            return heads.pairs(bytes).map { .replaced($0, leftOut: []) } ?? .unchanged
        case .json:
            guard let value = try? JSONReader().read(bytes) else { return .removed }
            return redacted(value).map { .replaced(text($0), leftOut: []) } ?? .unchanged
        case .jsonLines: return lines(bytes)
        case .multipart(let boundary), .multipartForm(let boundary):
            return multipart(bytes, boundary)
        case .xml, .html, .javaScript, .eventStream, .plainText, .propertyListXML, .image:
            // UTF-16 and similar encodings, in which names would not be found.
            if bytes.contains(0) { return .removed }
            return scanner.redacted(bytes).map { .replaced($0, leftOut: []) } ?? .unchanged
        case .binary, .protobuf, .grpc, .messagePack, .cbor, .propertyListBinary, .pdf, .archive,
            .webAssembly:
            return .removed
        }
    }

    // MARK: JSON

    /// A value without credentials; nil if it has none.
    private func redacted(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .string(let text):
            return scanner.redacted(Array(text.utf8)).map {
                .string(String(decoding: $0, as: UTF8.self))
            }
        case .array(let elements):
            // `["password", …]` is a name with its value.
            if elements.count == 2, elements[0].text.map(names.hidesParameter) == true,
                elements[1].text?.isEmpty == false
            {
                return .array([elements[0], .string(BodyRedactor.placeholder)])
            }
            let changed = elements.map(redacted)
            guard changed.contains(where: { $0 != nil }) else { return nil }
            return .array(zip(changed, elements).map { $0 ?? $1 })
        case .object(let members):
            // `{"name": "password", "value": …}` also is a name with its value.
            let named = members.contains { member in
                BodyRedactor.nameMembers.contains(member.name.lowercased())
                    && member.value.text.map(names.hidesParameter) == true
            }
            let changed = members.map { member -> JSONValue? in
                let hides =
                    names.hidesParameter(member.name)
                    || (named && member.name.lowercased() == "value")
                guard hides, !isEmpty(member.value) else { return redacted(member.value) }
                return .string(BodyRedactor.placeholder)
            }
            guard changed.contains(where: { $0 != nil }) else { return nil }
            return .object(
                zip(changed, members).map { .init(name: $1.name, value: $0 ?? $1.value) })
        case .null, .bool, .number: return nil
        }
    }

    private func isEmpty(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        case .bool, .number: false
        }
    }

    private func text(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONText.write(value, into: &bytes)
        return bytes
    }

    private func lines(_ bytes: [UInt8]) -> BodyChange {
        var output: [UInt8] = []
        var isChanged = false
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 { output.append(0x0A) }
            guard line.contains(where: { $0 > 0x20 }) else {
                output += line
                continue
            }
            guard let value = try? JSONReader().read(Array(line)) else { return .removed }
            let changed = redacted(value)
            isChanged = isChanged || changed != nil
            output += changed.map(text) ?? Array(line)
        }
        return isChanged ? .replaced(output, leftOut: []) : .unchanged
    }

    // MARK: Multipart

    private func multipart(_ bytes: [UInt8], _ boundary: [UInt8]) -> BodyChange {
        guard let parts = MultipartPiece.all(of: bytes, boundary: boundary) else {
            return .removed
        }
        var output: [UInt8] = []
        var leftOut: [String] = []
        var isChanged = false
        for (index, part) in parts.enumerated() {
            var content = part.content
            switch change(part) {
            case .unchanged: break
            case .replaced(let bytes, let parts):
                content = bytes
                leftOut += parts.map { "\($0) in part \(index + 1) of the body" }
                isChanged = true
            case .removed:
                content = []
                leftOut.append("part \(index + 1) of the body")
                isChanged = true
            }
            output += Array("--".utf8) + boundary + [0x0D, 0x0A] + part.headBytes + content
            output += [0x0D, 0x0A]
        }
        guard isChanged else { return .unchanged }
        return .replaced(
            output + Array("--".utf8) + boundary + Array("--\r\n".utf8), leftOut: leftOut)
    }

    private func change(_ part: MultipartPiece) -> BodyChange {
        guard !part.content.isEmpty else { return .unchanged }
        if part.head.name.map(names.hidesParameter) == true {
            return .replaced(Array(BodyRedactor.placeholder.utf8), leftOut: [])
        }
        guard part.head.transferEncoding == .none else { return .removed }
        let kind = BodyKind.detect(
            contentType: part.head.contentType.flatMap(MediaType.init), bytes: part.content.span)
        return change(part.content, kind)
    }
}
