internal import ProxydFilter
internal import ProxydParameterCoding

/// Makes edits in the pairs of a query or a form. Names are compared decoded; the bytes of other
/// pairs stay.
enum PairEditor {
    static func apply(_ change: RuleEdit.Change, to name: String, in pairs: inout EncodedPairs) {
        let matching = pairs.pairs.indices.filter {
            pairs.pairs[$0].name.utf8.elementsEqual(name.utf8)
        }
        switch change {
        case .set(let value):
            guard let first = matching.first else {
                pairs.insert(name: name, value: value.text, at: pairs.pairs.count)
                return
            }
            if pairs.pairs[first].value != value.text {
                pairs.setValue(value.text, at: first)
            }
        case .add(let value):
            pairs.insert(name: name, value: value.text, at: pairs.pairs.count)
        case .remove(let match):
            for position in matching.reversed() {
                let value = pairs.pairs[position].value ?? ""
                if match?.matches(value.utf8.span) ?? true { pairs.remove(at: position) }
            }
        case .replace: break
        }
    }
}
