internal import FoundationEssentials

/// Encodes and decodes messages: JSON, one message per line, terminated by LF.
enum ControlCoding {
    /// A message as one line with its LF. JSON escapes every LF inside.
    static func line(_ message: some Encodable) throws(ControlError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            var line = [UInt8](try encoder.encode(message))
            line.append(0x0A)
            return line
        } catch {
            throw ControlError(.badMessage, "the message cannot be encoded as JSON")
        }
    }

    /// Decodes a message from a line without its LF.
    static func message<Message: Decodable>(
        _ type: Message.Type, from line: [UInt8]
    ) throws(ControlError) -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw ControlError(.badMessage, "the line is not a message of the control protocol")
        }
    }
}
