internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Writes the head of a changed request of HTTP/2: pseudo-fields in the order in which they were
/// captured, and sensitive lines marked as they were.
struct HTTP2Recomposer {
    let captured: RequestHead
    /// Whether the authority stays, or is that of an edited Host.
    let keepsHost: Bool

    /// - Throws: `.invalidRequest`.
    func head(of request: HTTPRequest, framing: BodyLength) throws(ClientError) -> RequestHead {
        var bytes: [UInt8] = []
        var codings: [UInt8] = []
        var length: [UInt8]?
        if case .exactly(let count) = framing { length = Array(String(count).utf8) }
        var isLengthSaid = false
        for line in captured.pseudoFields {
            let name = ASCII.text(captured.bytes[line.nameRange])
            let came = Array(captured.bytes[line.valueRange])
            add(name, value(of: name, came: came, request), line.coding, &bytes, &codings)
        }
        for line in request.fields.lines {
            let name = request.fields.name(of: line).lowercased()
            if line.name == .contentLength, let length {
                add(name, length, coding(of: name), &bytes, &codings)
                isLengthSaid = true
            }
            guard !HTTP2Recomposer.isMadeAnew(line.name) else { continue }
            let value = Array(request.fields.bytes[line.valueRange])
            add(name, value, coding(of: name), &bytes, &codings)
        }
        if let length, !isLengthSaid {
            add("content-length", length, .text, &bytes, &codings)
        }
        bytes += [0x0D, 0x0A]
        do throws(WireError) {
            return try HeadParser.parseWritten(bytes).withCodings(codings)
        } catch {
            throw ClientError(.invalidRequest(.badTarget), underlying: error)
        }
    }

    private static func isMadeAnew(_ name: FieldName) -> Bool {
        switch name {
        case .host, .contentLength, .transferEncoding, .connection, .keepAlive, .upgrade,
            .proxyConnection:
            true
        default: false
        }
    }

    private func value(of name: String, came: [UInt8], _ request: HTTPRequest) -> [UInt8] {
        switch name {
        case ":method": return Array(request.method.rawValue.utf8)
        case ":scheme": return Array(request.url.scheme.utf8)
        case ":path": return request.url.origin
        case ":authority":
            guard keepsHost else { return Array(request.url.authority.utf8) }
            return request.fields.value(.host).map { Array($0.utf8) } ?? came
        default: return came
        }
    }

    /// How the captured line of a name was written; the default for a new line.
    private func coding(of name: String) -> FieldCoding {
        captured.fields.lines.first { captured.fields.name(of: $0).lowercased() == name }?.coding
            ?? .text
    }

    private func add(
        _ name: String, _ value: [UInt8], _ coding: FieldCoding, _ bytes: inout [UInt8],
        _ codings: inout [UInt8]
    ) {
        bytes += Array("\(name): ".utf8) + value + [0x0D, 0x0A]
        codings.append(coding.rawValue)
    }
}
