import Foundation
import FoundationXML

/// Whether a parser accepts a document.
enum XMLCheck {
    static func isWellFormed(_ octets: [UInt8]) -> Bool { XMLParser(data: Data(octets)).parse() }
}
