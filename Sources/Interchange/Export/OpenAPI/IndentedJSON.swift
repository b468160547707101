internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// Writes JSON for people: a member a line.
enum IndentedJSON {
    static func write(_ value: JSONValue, depth: Int = 0, into output: inout [UInt8]) {
        switch value {
        case .object(let members) where !members.isEmpty:
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                line(depth + 1, isFirst: index == 0, &output)
                JSONText.write(.string(member.name), into: &output)
                output += ": ".utf8
                write(member.value, depth: depth + 1, into: &output)
            }
            end(depth, "}", &output)
        case .array(let elements) where !elements.isEmpty:
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                line(depth + 1, isFirst: index == 0, &output)
                write(element, depth: depth + 1, into: &output)
            }
            end(depth, "]", &output)
        default: JSONText.write(value, into: &output)
        }
    }

    private static func line(_ depth: Int, isFirst: Bool, _ output: inout [UInt8]) {
        output += (isFirst ? "\n" : ",\n").utf8
        output += Array(repeating: 0x20, count: depth * 2)
    }

    private static func end(_ depth: Int, _ bracket: String, _ output: inout [UInt8]) {
        output.append(0x0A)
        output += Array(repeating: 0x20, count: depth * 2)
        output += bracket.utf8
    }
}
