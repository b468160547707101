import Foundation
import FoundationXML

/// Whether a parser accepts a document.
enum XMLCheck {
    static func isWellFormed(_ bytes: [UInt8]) -> Bool { XMLParser(data: Data(bytes)).parse() }
}
