import Foundation

extension URL {
    var octets: [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }
}
