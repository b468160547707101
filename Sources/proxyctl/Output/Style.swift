/// How a piece of text looks on a terminal with colours.
enum Style: String, Sendable {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"

    /// The style of a response's status code.
    static func ofStatus(_ status: Int) -> Style {
        switch status {
        case 100..<200: .cyan
        case 200..<300: .green
        case 300..<400: .blue
        case 400..<500: .yellow
        default: .red
        }
    }
}
