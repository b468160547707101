internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Edits field lines. A line that no edit concerns stays as it is, byte for byte.
enum FieldEditor {
    /// Changes the lines of a name. Invalid field values are not inserted.
    static func apply(
        _ change: RuleEdit.Change, to name: String, in fields: inout HeaderFields
    ) -> EditResult {
        let before = fields
        var problem: EditResult.NotDone?
        switch change {
        case .set(let value): set(name, Array(value.text.utf8), in: &fields)
        case .add(let value): fields.append(name: name, value: value.text)
        case .remove(let match): remove(name, match, in: &fields)
        case .replace(let replacement, let countMax):
            problem = replace(name, replacement, countMax, in: &fields)
        }
        if fields != before { return .changed }
        return problem.map(EditResult.notDone) ?? .unchanged
    }

    /// Leaves one line of the name, at the position of the first; a new one is added at the end.
    static func set(_ name: String, _ value: [UInt8], in fields: inout HeaderFields) {
        let positions = fields.positions(named: name)
        guard let first = positions.first else {
            return fields.append(name: Array(name.utf8), value: value)
        }
        if !fields.bytes[fields.lines[first].valueRange].elementsEqual(value) {
            fields.setValue(value, ofLineAt: first)
        }
        for position in positions.dropFirst().reversed() { fields.removeLine(at: position) }
    }

    private static func remove(
        _ name: String, _ match: LinearRegex?, in fields: inout HeaderFields
    ) {
        for position in fields.positions(named: name).reversed() {
            let value = Array(fields.bytes[fields.lines[position].valueRange])
            if match?.matches(value.span) ?? true { fields.removeLine(at: position) }
        }
    }

    /// Returns why a line was not changed: the result is too large or not a valid field value.
    private static func replace(
        _ name: String, _ replacement: RegexReplacement, _ countMax: Int?,
        in fields: inout HeaderFields
    ) -> EditResult.NotDone? {
        var problem: EditResult.NotDone?
        for position in fields.positions(named: name) {
            let value = Array(fields.bytes[fields.lines[position].valueRange])
            switch replacement.replacing(
                in: value.span, timesMax: countMax, byteCountMax: RuleSet.valueByteCountMax)
            {
            case .unchanged: continue
            case .tooLarge: problem = .tooLarge
            case .changed(let bytes, _, _) where FieldValidator.isFieldValue(bytes.span):
                fields.setValue(bytes, ofLineAt: position)
            case .changed: problem = .notAFieldValue
            }
        }
        return problem
    }
}

/// Edits cookies (RFC 6265 §4.1, §4.2). The bytes of other cookies do not change.
enum CookieEditor {
    // MARK: Cookie

    static func applyToRequest(
        _ change: RuleEdit.Change, to name: String, in fields: inout HeaderFields
    ) -> Bool {
        let before = fields
        switch change {
        case .set(let value): set(name, value.text, in: &fields, isAdding: false)
        case .add(let value): set(name, value.text, in: &fields, isAdding: true)
        case .remove(let match): remove(name, match, in: &fields)
        case .replace: break
        }
        return fields != before
    }

    private static func set(
        _ name: String, _ value: String, in fields: inout HeaderFields, isAdding: Bool
    ) {
        let pair = Array("\(name)=\(value)".utf8)
        let positions = fields.positions(named: "Cookie")
        if !isAdding {
            for position in positions {
                var crumbs = crumbs(of: fields, at: position)
                guard let found = crumbs.firstIndex(where: { isNamed(name, $0) }) else { continue }
                if crumbs[found] == pair { return }
                crumbs[found] = pair
                return fields.setValue(joined(crumbs), ofLineAt: position)
            }
        }
        guard let last = positions.last else {
            return fields.append(name: Array("Cookie".utf8), value: pair)
        }
        fields.setValue(joined(crumbs(of: fields, at: last) + [pair]), ofLineAt: last)
    }

    private static func remove(
        _ name: String, _ match: LinearRegex?, in fields: inout HeaderFields
    ) {
        for position in fields.positions(named: "Cookie").reversed() {
            let crumbs = crumbs(of: fields, at: position)
            let kept = crumbs.filter { !isNamed(name, $0) || !isMatched(match, $0) }
            if kept.count == crumbs.count { continue }
            if kept.isEmpty {
                fields.removeLine(at: position)
            } else {
                fields.setValue(joined(kept), ofLineAt: position)
            }
        }
    }

    private static func crumbs(of fields: HeaderFields, at position: Int) -> [[UInt8]] {
        let value = fields.bytes[fields.lines[position].valueRange]
        return value.split(separator: UInt8(ascii: ";")).map {
            Array($0.drop { $0 == 0x20 || $0 == 0x09 })
        }.filter { !$0.isEmpty }
    }

    private static func joined(_ crumbs: [[UInt8]]) -> [UInt8] {
        Array(crumbs.joined(separator: [UInt8(ascii: ";"), 0x20]))
    }

    // MARK: Set-Cookie

    /// Changes a cookie that a response sets; returns false if nothing changed. The attributes of a
    /// cookie whose value changes are kept.
    static func applyToResponse(
        _ change: RuleEdit.Change, to name: String, in fields: inout HeaderFields
    ) -> Bool {
        let before = fields
        let positions = fields.positions(named: "Set-Cookie").filter {
            isNamed(name, Array(fields.bytes[fields.lines[$0].valueRange]))
        }
        switch change {
        case .set(let value):
            guard let first = positions.first else {
                fields.append(name: "Set-Cookie", value: "\(name)=\(value.text)")
                break
            }
            let line = fields.bytes[fields.lines[first].valueRange]
            let attributes = line.drop { $0 != UInt8(ascii: ";") }
            let changed = Array("\(name)=\(value.text)".utf8) + attributes
            if !line.elementsEqual(changed) { fields.setValue(changed, ofLineAt: first) }
            for position in positions.dropFirst().reversed() { fields.removeLine(at: position) }
        case .add(let value): fields.append(name: "Set-Cookie", value: "\(name)=\(value.text)")
        case .remove(let match):
            for position in positions.reversed() {
                let line = Array(fields.bytes[fields.lines[position].valueRange])
                if isMatched(match, line) { fields.removeLine(at: position) }
            }
        case .replace: break
        }
        return fields != before
    }

    // MARK: Pairs

    /// Whether a pair has this name; cookie names are case-sensitive.
    private static func isNamed(_ name: String, _ pair: [UInt8]) -> Bool {
        let written = pair.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        return ASCII.trimmingOWS(Array(written).span, 0..<written.count).count == name.utf8.count
            && Array(written).starts(with: name.utf8)
    }

    private static func isMatched(_ match: LinearRegex?, _ pair: [UInt8]) -> Bool {
        guard let match else { return true }
        let value = pair.drop { $0 != UInt8(ascii: "=") }.dropFirst()
        return match.matches(Array(value.prefix { $0 != UInt8(ascii: ";") }).span)
    }
}
