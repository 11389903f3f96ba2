// The light that comes from all around: a bright ceiling, two soft boxes and a floor, as in a photographer's studio.
// Surfaces mirror it a little, which is what makes them look round.

import { BackSide, BoxGeometry, Mesh, MeshBasicMaterial, PMREMGenerator, Scene, ShaderMaterial, SphereGeometry, type Texture, type WebGLRenderer } from "three";

/** The studio as a texture for materials. The page's up is z; textures of surroundings have y up, and z is turned there. */
export function studio(renderer: WebGLRenderer): Texture {
  const scene = new Scene();
  scene.add(new Mesh(new SphereGeometry(10, 24, 16), new ShaderMaterial({
    side: BackSide,
    vertexShader: "varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    fragmentShader: `varying vec3 way;
      void main() {
        float up = normalize(way).z;
        vec3 sky = mix(vec3(0.42, 0.45, 0.50), vec3(0.95), smoothstep(0.0, 0.9, up));
        vec3 floor_ = mix(vec3(0.30), vec3(0.16), smoothstep(0.0, 0.8, -up));
        gl_FragColor = vec4(mix(floor_, sky, smoothstep(-0.04, 0.04, up)), 1.0);
      }`,
  })));
  const box = (x: number, y: number, z: number, size: number, light: number): void => {
    const mesh = new Mesh(new BoxGeometry(size, size, 0.1), new MeshBasicMaterial());
    mesh.material.color.setScalar(light);
    mesh.position.set(x, y, z);
    mesh.lookAt(0, 0, 0);
    scene.add(mesh);
  };
  box(-4, -5, 5, 4, 5);
  box(6, 2, 3, 3, 3);
  box(-3, 6, 4, 3, 2.5);
  const maker = new PMREMGenerator(renderer), texture = maker.fromScene(scene, 0, 0.1, 100, { size: 32 }).texture;
  maker.dispose();
  return texture;
}
