//! Images that a person shows a model with a question.

use serde::Serialize;
use serde_json::Value;

use super::common::json;
use super::{ChatRequest, Message};
use ibid_platform::{Error, ErrorCode, deserialize};

/// The media types that every provider with models for images takes.
const MEDIA_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/// The most images of a request.
const MOST_IMAGES: usize = 20;

/// The most characters of all images of a request together, as base64; providers refuse larger requests.
const MOST_CHARACTERS: usize = 20 << 20;

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
    pub media_type: String,
    /// The file as base64 with padding (RFC 4648, section 4).
    pub data: String,
}

deserialize!(Image by fields, none_left: media_type as "mediaType", data);

impl Image {
    /// Checks the images of a request.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] for a media type that there is not, for what is no base64, for more than 20
    /// images, and for more than 20 MiB of them.
    pub fn check(images: &[Self]) -> Result<(), Error> {
        let invalid = |message: String, hint: &'static str| {
            Err(Error::new(ErrorCode::InvalidOption, message).with_hint(hint))
        };
        for Self { media_type, data } in images {
            if !MEDIA_TYPES.contains(&media_type.as_str()) {
                let message = format!("Models take no images of the media type {media_type:?}.");
                return invalid(message, "Convert the image to PNG, JPEG, WebP or GIF.");
            }
            let digits = data.trim_end_matches('=');
            let fits = data.len() % 4 == 0 && data.len() - digits.len() < 3 && !digits.is_empty();
            if !fits || !digits.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/')) {
                return invalid(
                    "An image is not base64.".to_owned(),
                    "Use its bytes, or base64 with padding.",
                );
            }
        }
        let characters = images.iter().fold(0_usize, |sum, image| sum.saturating_add(image.data.len()));
        if images.len() > MOST_IMAGES || characters > MOST_CHARACTERS {
            let message = format!("There are {} images of {characters} characters.", images.len());
            return invalid(message, "A question takes at most 20 images and 20 MiB of base64.");
        }
        Ok(())
    }

    /// Its address by RFC 2397.
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.data)
    }
}

/// Finds the images that go with a message of a request: all go with the last words of the person.
#[inline(never)]
pub(crate) fn images_of<'a>(request: &'a ChatRequest, message: &Message) -> &'a [Image] {
    let last = request.messages.iter().rfind(|message| matches!(message, Message::User { .. }));
    if last.is_some_and(|last| std::ptr::eq(last, message)) { &request.images } else { &[] }
}

/// Writes the content of a message: a text, or where there are images parts of which the text is one.
#[inline(never)]
pub(crate) fn content(text: &str, kind: &str, images: Vec<Value>) -> Value {
    if images.is_empty() {
        return text.into();
    }
    let mut parts = vec![json!({"type": kind, "text": text})];
    parts.extend(images);
    parts.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{Tested, assistant, user};
    use crate::{ChatRequest, Provider, ProviderKind};

    fn image(media_type: &str, data: &str) -> Image {
        Image { media_type: media_type.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn images_are_checked() {
        assert!(Image::check(&[image("image/png", "iVBORw0="), image("image/gif", "R0lGODlh")]).is_ok());
        for (wrong, told) in [
            (image("image/svg+xml", "iVBORw0="), "media type"),
            (image("image/png", ""), "base64"),
            (image("image/png", "iVBORw0"), "base64"),
            (image("image/png", "iV-ORw0="), "base64"),
            (image("image/png", "="), "base64"),
            (image("image/png", "===="), "base64"),
        ] {
            let error = Image::check(&[wrong]).unwrap_err();
            assert!(error.code() == ErrorCode::InvalidOption && error.message().contains(told), "{error}");
        }
        let one = image("image/png", "iVBORw0=");
        assert!(Image::check(&vec![one; 21]).unwrap_err().message().contains("21 images"));
        let large = image("image/png", &"A".repeat((20 << 20) + 4));
        assert_eq!(Image::check(&[large]).unwrap_err().code(), ErrorCode::InvalidOption);
    }

    #[test]
    fn each_format_has_its_own_way_to_write_them() {
        let request = ChatRequest {
            messages: vec![user("old"), assistant("said", vec![], &json!({})), user("What is it?")],
            images: vec![image("image/png", "iVBORw0=")],
            ..ChatRequest::default()
        };
        let url = "data:image/png;base64,iVBORw0=";
        let last = |kind: ProviderKind, list: &str| {
            let body = Tested(Provider::of(kind, "m").unwrap()).body(&request);
            let messages = body[list].as_array().unwrap().clone();
            assert!(!messages[0].to_string().contains("iVBOR"), "{}", messages[0]);
            messages.last().unwrap().clone()
        };
        assert_eq!(
            last(ProviderKind::OpenAi, "messages"),
            json!({"role": "user", "content": [{"type": "text", "text": "What is it?"},
                {"type": "image_url", "image_url": {"url": url}}]})
        );
        assert_eq!(
            last(ProviderKind::OpenAiResponses, "input"),
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is it?"},
                {"type": "input_image", "image_url": url}]})
        );
        assert_eq!(
            last(ProviderKind::Anthropic, "messages"),
            json!({"role": "user", "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0="}},
                {"type": "text", "text": "What is it?"}]})
        );
        assert_eq!(
            last(ProviderKind::Gemini, "contents"),
            json!({"role": "user", "parts": [{"text": "What is it?"},
                {"inlineData": {"mimeType": "image/png", "data": "iVBORw0="}}]})
        );
        assert_eq!(
            last(ProviderKind::Ollama, "messages"),
            json!({"role": "user", "content": "What is it?", "images": ["iVBORw0="]})
        );
    }
}
