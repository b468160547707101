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
