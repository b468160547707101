internal import ProxydParameterCoding
internal import ProxydPropertyLists

/// How much of what is in a value.
struct PropertyListShape: Equatable {
    private(set) var depth = 0
    private(set) var valueCount = 0
    private(set) var texts: [String] = []

    init(_ value: Parameter) { add(value, depth: 0) }

    func isWithin(_ limits: PropertyListLimits) -> Bool {
        depth <= limits.depthMax && valueCount <= limits.valueCountMax
    }

    private mutating func add(_ value: Parameter, depth outerDepth: Int) {
        valueCount += 1
        switch value {
        case .array(let elements), .set(let elements):
            depth = max(depth, outerDepth + 1)
            for element in elements { add(element, depth: outerDepth + 1) }
        case .object(let members):
            depth = max(depth, outerDepth + 1)
            for member in members {
                texts.append(member.name)
                add(member.value, depth: outerDepth + 1)
            }
        case .string(let text):
            texts.append(text)
        default:
            return
        }
    }
}
