internal import ProxydParameterCoding

/// Entries of other programs that are not quite JSON: with numbers that JSON lacks, as Python
/// writes them, or with bytes that are not UTF-8.
enum LenientJSON {
    private static let numbers = ["NaN", "Infinity", "-Infinity"].map { Array($0.utf8) }

    /// Reads an entry.
    /// - Returns: Its value, and what had to be changed in it.
    /// - Throws: `ImportProblem` if it is no JSON even so.
    static func value(_ bytes: [UInt8]) throws(ImportProblem) -> (JSONValue, ImportMarks) {
        do throws(ImportProblem) {
            return (try InterchangeReader.value(bytes), [])
        } catch {
            let text = String(decoding: bytes, as: UTF8.self)
            let repaired = withoutOddNumbers(Array(text.utf8))
            guard repaired != bytes, let value = try? InterchangeReader.value(repaired) else {
                throw error
            }
            return (value, text.utf8.elementsEqual(bytes) ? [] : .damagedText)
        }
    }

    /// The same with `null` in place of numbers that are none.
    private static func withoutOddNumbers(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var (index, isText) = (0, false)
        while index < bytes.count {
            let byte = bytes[index]
            if isText, byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
                result += bytes[index...index + 1]
                index += 2
                continue
            }
            if byte == UInt8(ascii: "\"") { isText.toggle() }
            if !isText, let word = numbers.first(where: { bytes[index...].starts(with: $0) }) {
                result += Array("null".utf8)
                index += word.count
            } else {
                result.append(byte)
                index += 1
            }
        }
        return result
    }
}
