//! Serialised models, so that other processes can load a model without its files.

use crate::error::LoadError;
use crate::model::{Identity, Model};
use stiction_base::checksum;
use stiction_model::World;

const MAGIC: [u8; 8] = *b"STICTMOD";
const VERSION: u32 = 10;

impl Model {
    /// The description as an opaque, versioned blob, including meshes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.fingerprint().to_le_bytes());
        bytes.extend_from_slice(&self.family().to_le_bytes());
        let world = postcard::to_allocvec(self.world());
        bytes.extend(world.expect("a description is plain data and always serialises"));
        checksum::seal(bytes)
    }

    /// Compiles the description written by [`Model::to_bytes`]; the model has the same fingerprint.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let err = |what: &str| Err(LoadError::Archive(what.into()));
        let Some((head, _)) = bytes.split_at_checked(28) else {
            return err("it is shorter than a header; it is cut off or of another kind");
        };
        if head[..8] != MAGIC {
            return err("it does not begin like a saved model; it is of another kind");
        }
        let version = u32::from_le_bytes(head[8..12].try_into().expect("four bytes"));
        if version != VERSION {
            return err(&format!("it has version {version}, this program reads version {VERSION}"));
        }
        let Some(content) = checksum::unseal(bytes).and_then(|b| b.get(28..)) else {
            return err("its checksum is wrong; it is damaged or cut off, save the model again");
        };
        match postcard::from_bytes::<World>(content) {
            Ok(world) => {
                world.validate()?;
                let number =
                    |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
                Self::compile(world, None, Identity { fingerprint: number(12), family: number(20) })
            }
            Err(e) => err(&format!("its content is damaged ({e})")),
        }
    }
}
