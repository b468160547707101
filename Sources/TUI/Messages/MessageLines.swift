internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The lines above the contents of a message.
struct MessageLines {
    let content: MessageContent
    /// The start time of its exchange in nanoseconds since 1970.
    let startedAtNs: Int64
    let clock: WallTime

    private var row: MessageRow { content.row }

    func lines() -> [StyledText] {
        var lines = [first, sizes]
        if let flags { lines.append(flags) }
        if let problem = content.problem { lines.append(StyledText(problem, .bad)) }
        lines += closing + content.members.map(MessageLines.line)
        if row.bytes.isEmpty { lines.append(StyledText("no bytes", .dim)) }
        return lines + [StyledText()]
    }

    private var first: StyledText {
        var line = StyledText(MessageLines.arrow(row), Style(MessageLines.role(row)))
        line.append(" \(row.kind.name)", .heading)
        line.append(row.direction == .toServer ? " to the server" : " to the client", .plain)
        line.append("  \(MessageTime.text(row, startedAtNs: startedAtNs)) s", .plain)
        line.append("  \(clock.precise(row.atNs))", .dim)
        return line
    }

    private var sizes: StyledText {
        var line = StyledText(Quantity.bytes(row.byteCount), .plain)
        if row.wireByteCount != row.byteCount {
            line.append("  \(Quantity.bytes(row.wireByteCount)) on the wire", .dim)
        }
        if Int64(row.bytes.count) < row.byteCount {
            let count = Quantity.bytes(Int64(row.bytes.count))
            line.append(
                row.flags.contains(.cut) ? "  kept \(count)" : "  the first \(count)", .notice)
        }
        return line
    }

    private var flags: StyledText? {
        let names: [(MessageRecord.Flags, String)] = [
            (.compressed, "compressed"), (.fragmented, "fragmented"), (.cut, "cut"),
            (.unfinished, "not finished"),
            (.stillCompressed, "compressed: it could not be decompressed"),
            (.invalid, "invalid"),
        ]
        let found = names.filter { row.flags.contains($0.0) }.map(\.1)
        return found.isEmpty ? nil : StyledText(found.joined(separator: ", "), .notice)
    }

    /// The code and reason of a close frame (RFC 6455 §7.4).
    private var closing: [StyledText] {
        guard row.kind == .close else { return [] }
        guard let code = WebSocketCloseCode(payload: row.bytes) else {
            return [StyledText("no code", .dim)]
        }
        var line = StyledText("code: ", .key)
        line.append(code.description, code.isOrderly ? .good : .bad)
        guard row.bytes.count > 2 else { return [line] }
        var reason = StyledText("reason: ", .key)
        reason.append(row.bytes.dropFirst(2), .string)
        return [line, reason]
    }

    private static func line(_ member: JSONValue.Member) -> StyledText {
        var line = StyledText("\(member.name): ", .key)
        switch member.value {
        case .string(let text): line.append(text, .string)
        case .number(let digits): line.append(digits, .number)
        case .bool(let isTrue): line.append(isTrue ? "true" : "false", .keyword)
        case .null: line.append("null", .keyword)
        case .array(let elements): line.append("\(elements.count) values", .dim)
        case .object(let members): line.append("\(members.count) members", .dim)
        }
        return line
    }

    // MARK: Signs

    static func arrow(_ row: MessageRow) -> String { row.direction == .toServer ? "→" : "←" }

    /// The colour of a direction.
    static func role(_ row: MessageRow) -> Style.Role {
        row.direction == .toServer ? .send : .receive
    }
}
