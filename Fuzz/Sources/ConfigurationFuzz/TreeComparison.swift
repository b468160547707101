internal import FuzzSupport
internal import ProxydConfigurationText
internal import TOMLKit

/// What we read, and what TOMLKit does.
enum TreeComparison {
    static func check(_ node: TOMLNode, _ judged: any TOMLValueConvertible) {
        switch node.content {
        case .table(let table):
            guard let other = judged.table else { return different(node) }
            // An escaped NUL ends a text of TOMLKit, and two keys may become one.
            guard !table.members.contains(where: { $0.name.unicodeScalars.contains("\0") }) else {
                return
            }
            require(other.keys.sorted() == table.members.map(\.name).sorted(), "other keys")
            for member in table.members {
                guard let value = other[member.name] else { return different(node) }
                check(member.node, value)
            }
        case .array(let elements):
            guard let other = judged.array, other.count == elements.count else {
                return different(node)
            }
            for (element, value) in zip(elements, other) { check(element, value) }
        case .string(let text):
            // Behind a line's end with a backslash TOMLKit also passes other scripts' white space.
            guard text.text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
            let shown = String(text.text.unicodeScalars.prefix { $0 != "\0" })
            require(judged.string?.utf8.elementsEqual(shown.utf8) == true, "another text")
        case .integer(let number): require(judged.int == number, "another integer")
        case .number(let number):
            let isSame = judged.double == number || (judged.double?.isNaN == true && number.isNaN)
            require(isSame, "another number")
        case .boolean(let flag): require(judged.bool == flag, "another truth")
        case .other(let name): require(judged.type.description == name, "another kind: \(name)")
        }
    }

    private static func different(_ node: TOMLNode) {
        require(false, "not \(node.kind) at \(node.position)")
    }
}
