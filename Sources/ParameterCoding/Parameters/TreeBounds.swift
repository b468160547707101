/// Records whether values nest too deeply, for containers that cannot throw.
final class TreeBounds {
    static let error = ParameterEncodingError.nestedTooDeeply(
        depthMax: ParameterTreeEncoder.depthMax)

    var areExceeded = false
}
