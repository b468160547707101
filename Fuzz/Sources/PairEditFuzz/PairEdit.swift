internal import FuzzSupport
internal import ProxydParameterCoding

/// One edit of pairs, as the input chooses it.
struct PairEdit {
    enum Operation: UInt8 {
        case rename, setValue, removeValue, replace, insert, insertName, remove, removeFar
    }

    private let chosen: Operation
    let position: Int
    private let name: String
    private let value: String
    private let escaping: EscapeSet

    init(_ input: inout FuzzInput, _ escaping: EscapeSet) {
        chosen = Operation(rawValue: input.choice() & 7) ?? .rename
        position = Int(input.choice())
        name = String(decoding: input.line(), as: UTF8.self)
        value = String(decoding: input.line(), as: UTF8.self)
        self.escaping = escaping
    }

    /// What it does, whatever it does it with.
    var operation: Operation {
        switch chosen {
        case .insertName: .insert
        case .removeFar: .remove
        default: chosen
        }
    }

    func apply(to pairs: inout EncodedPairs) -> Bool {
        switch chosen {
        case .rename: pairs.rename(at: position, to: name, escaping: escaping)
        case .setValue: pairs.setValue(value, at: position, escaping: escaping)
        case .removeValue: pairs.setValue(nil, at: position, escaping: escaping)
        case .replace:
            pairs.replace(at: position, name: name, value: value, escaping: escaping)
        case .insert: pairs.insert(name: name, value: value, at: position, escaping: escaping)
        case .insertName: pairs.insert(name: name, value: nil, at: position, escaping: escaping)
        case .remove, .removeFar: pairs.remove(at: position)
        }
    }

    func hasPlace(in pairs: EncodedPairs) -> Bool {
        position < pairs.pairs.count + (operation == .insert ? 1 : 0)
    }

    /// Whether the pair has what was given to it.
    func check(_ pair: EncodedPair) {
        if [.rename, .replace, .insert, .insertName].contains(chosen) {
            require(isSame(pair.name, name), "another name than was given")
        }
        switch chosen {
        case .setValue, .replace, .insert:
            require(pair.value.map { isSame($0, value) } == true, "another value than was given")
        case .removeValue, .insertName:
            require(pair.value == nil, "a value that was taken away")
        default:
            return
        }
    }

    private func isSame(_ text: String, _ given: String) -> Bool {
        text.utf8.elementsEqual(given.utf8)
    }
}
