internal import ProxydFilter
internal import ProxydParameterCoding

/// Edits the pairs of a query or a form. Names are compared decoded; the bytes of other pairs do
/// not change.
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

    private static func isNamed(_ name: String, _ pair: EncodedPair) -> Bool {
        pair.name.utf8.elementsEqual(name.utf8)
    }
}
