internal import ProxydFilter
internal import ProxydParameterCoding

/// Edits the pairs of a query or a form, or the fields of a multipart form. Names are compared
/// decoded; the bytes of others do not change.
enum PairEditor {
    static func apply(_ change: RuleEdit.Change, to name: String, in pairs: inout EncodedPairs) {
        switch change {
        case .set(let value):
            // A pair that has this value already keeps its escapes.
            let first = pairs.pairs.first { isNamed(name, $0) }
            if first == nil || first?.value != value.text {
                pairs.setFirst(named: name, to: value.text)
            }
        case .add(let value):
            pairs.insert(name: name, value: value.text, at: pairs.pairs.count)
        case .remove(let match):
            pairs.removeAll { pair in
                guard isNamed(name, pair) else { return false }
                let value = pair.value ?? ""
                return match?.matches(value.utf8.span) ?? true
            }
        case .replace: break
        }
    }

    /// Returns why the form cannot be changed; nil if it can.
    static func apply(
        _ change: RuleEdit.Change, to name: String, in parts: inout EncodedParts
    ) -> EditResult.NotDone? {
        do throws(EncodedParts.FieldProblem) {
            switch change {
            case .set(let value): try parts.setField(named: name, to: value.text)
            case .add(let value): try parts.addField(named: name, value: value.text)
            case .remove(let match):
                parts.removeAll(named: name) { match?.matches($0.utf8.span) ?? true }
            case .replace: break
            }
            return nil
        } catch {
            switch error {
            case .isFile: return .file
            case .boundaryInValue: return .boundary
            }
        }
    }

    private static func isNamed(_ name: String, _ pair: EncodedPair) -> Bool {
        pair.name.utf8.elementsEqual(name.utf8)
    }
}
