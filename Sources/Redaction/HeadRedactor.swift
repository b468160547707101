internal import ProxydCurlCommand
internal import ProxydExchangeContent
package import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Removes credentials from heads and URLs; every other byte stays in place.
package struct HeadRedactor: Sendable {
    private static let placeholder = Array(Redaction.placeholder.utf8)
    /// Authentication schemes: prefixes of credentials that reveal only their kind.
    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "negotiate", "ntlm", "oauth", "hawk", "aws4-hmac-sha256",
        "token", "apikey", "dpop", "hoba", "mutual", "scram-sha-1", "scram-sha-256", "vapid",
    ]

    /// Parameters that accompany an OAuth `code` (RFC 6749 §4.1); without them, a `code` is rarely
    /// a credential.
    private static let oauthCompanions: Set<String> = ["state", "grant_type", "redirect_uri"]
    /// Fields whose value is a URL.
    private static let urlFields: Set<String> = ["referer", "location", "content-location"]

    private let names: SecretNames
    private let scanner: SecretScanner

    /// Creates a redactor that hides the values of these names.
    package init(_ names: SecretNames) {
        self.names = names
        scanner = SecretScanner(names)
    }

    // MARK: URLs

    package func url(_ url: RawURL) -> RawURL {
        RawURL(
            scheme: url.scheme, host: url.host, port: url.port, origin: target(url.origin))
    }

    /// Redacts a request target or a URL.
    func target(_ bytes: [UInt8]) -> [UInt8] {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
            return scanner.redacted(bytes) ?? bytes
        }
        let path = Array(bytes[..<mark])
        return (scanner.redacted(path) ?? path) + [UInt8(ascii: "?")]
            + (pairs(Array(bytes[(mark + 1)...])) ?? Array(bytes[(mark + 1)...]))
    }

    /// Redacts a query or a form; nil if there is nothing to hide.
    func pairs(_ bytes: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        var copied = 0
        let pairs = QueryDecoder().decode(bytes).pairs
        let isOAuth =
            names.hidesUnnamed && pairs.contains { HeadRedactor.oauthCompanions.contains($0.name) }
        for pair in pairs {
            guard let value = pair.rawValue, !value.isEmpty, let text = pair.value,
                names.hidesParameter(pair.name) || (isOAuth && pair.name == "code")
                    || scanner.redacted(Array(text.utf8)) != nil
            else { continue }
            output += bytes[copied..<value.lowerBound]
            output += HeadRedactor.placeholder
            copied = value.upperBound
        }
        return copied == 0 ? nil : output + bytes[copied...]
    }

    // MARK: Heads

    package func request(_ head: RequestHead, _ change: BodyChange) -> RequestHead {
        if head.version >= .http2 { return http2Request(head, change) }
        let target = target(Array(head.target))
        var bytes = Array(head.bytes[..<head.targetRange.lowerBound]) + target
        let line = head.bytes[head.targetRange.upperBound...]
        let lineEnd = line.firstIndex(of: 0x0A) ?? line.endIndex - 1
        bytes += line[...lineEnd]
        bytes += lines(head.fields, change)
        // If the result does not parse again, which should not happen, no field is kept.
        return (try? HeadParser.parseRequestHead(bytes, limits: .captured))
            ?? RequestHead(
                method: head.method, target: target, version: head.version, fields: HeaderFields())
    }

    /// Pseudo-header fields are lines of their own, and one of them is the target.
    private func http2Request(_ head: RequestHead, _ change: BodyChange) -> RequestHead {
        var bytes: [UInt8] = []
        for line in head.pseudoFields {
            bytes += head.bytes[line.range.lowerBound..<line.valueRange.lowerBound]
            let value = Array(head.bytes[line.valueRange])
            bytes += line.valueRange == head.targetRange ? target(value) : value
            bytes += head.bytes[line.valueRange.upperBound..<line.range.upperBound]
        }
        bytes += lines(head.fields, change)
        let redacted = try? HeadParser.parseRequestHead(bytes, limits: .captured)
        return redacted?.inVersion(head.version).withCodings(head.codings)
            ?? RequestHead(
                method: head.method, target: target(Array(head.target)), version: head.version,
                fields: HeaderFields())
    }

    package func response(_ head: ResponseHead, _ change: BodyChange) -> ResponseHead {
        let lineEnd = head.bytes.firstIndex(of: 0x0A) ?? head.bytes.endIndex - 1
        let line = Array(head.bytes[...lineEnd])
        let bytes = (scanner.redacted(line) ?? line) + lines(head.fields, change)
        let redacted = try? HeadParser.parseResponseHead(bytes, limits: .captured)
        return redacted?.inVersion(head.version).withCodings(head.codings)
            ?? ResponseHead(
                version: head.version, status: head.status, reason: "", fields: HeaderFields())
    }

    package func trailers(_ fields: HeaderFields) -> HeaderFields {
        let bytes = lines(fields, .unchanged)
        return (try? HeadParser.parseTrailers(bytes, limits: .captured))
            ?? HeaderFields()
    }

    /// The field lines, followed by the empty line.
    private func lines(_ fields: HeaderFields, _ change: BodyChange) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in fields.lines {
            var value = self.value(
                Array(fields.bytes[line.valueRange]), of: fields.name(of: line))
            if case .replaced(let body, _) = change {
                if line.name == .contentEncoding { continue }
                if line.name == .contentLength { value = Array("\(body.count)".utf8) }
            }
            bytes += fields.bytes[line.range.lowerBound..<line.valueRange.lowerBound]
            bytes += value
            bytes += fields.bytes[line.valueRange.upperBound..<line.range.upperBound]
        }
        return bytes + [0x0D, 0x0A]
    }

    /// A field's value without credentials.
    private func value(_ value: [UInt8], of name: String) -> [UInt8] {
        guard names.hidesField(name) else {
            if HeadRedactor.urlFields.contains(name.lowercased()) { return target(value) }
            return scanner.redacted(value) ?? value
        }
        guard !value.isEmpty else { return value }
        switch name.lowercased() {
        case "cookie":
            let pairs = value.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            return Array(pairs.map(cookie).joined(separator: [UInt8(ascii: ";")]))
        case "set-cookie":
            let end = value.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
            return cookie(value[..<end]) + value[end...]
        case "authorization", "proxy-authorization":
            guard let space = value.firstIndex(of: 0x20),
                HeadRedactor.schemes.contains(
                    String(decoding: value[..<space], as: UTF8.self).lowercased())
            else { return HeadRedactor.placeholder }
            return value[...space] + HeadRedactor.placeholder
        default:
            return HeadRedactor.placeholder
        }
    }

    /// A cookie keeps its name; one without a name is treated as all value.
    private func cookie(_ pair: ArraySlice<UInt8>) -> [UInt8] {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
            let blank = pair.prefix { $0 == 0x20 }
            return blank + (blank.count == pair.count ? [] : HeadRedactor.placeholder)
        }
        return pair[...equals] + (equals == pair.endIndex - 1 ? [] : HeadRedactor.placeholder)
    }
}
